// Small pieces that most pages are made of: names, states, times and texts.
import type { ComponentChildren } from 'preact';
import type { GateResult } from '../../src/domain/sessions/gate.ts';
import type { Session } from '../../src/domain/sessions/session.ts';
import { leftBehindText, sessionState } from '../../src/domain/sessions/session-state.ts';
import { iconSymbol } from '../../src/domain/tasks/badge.ts';
import type { Feature } from '../../src/domain/tasks/feature.ts';
import { STATE_SYMBOLS, type StateWord, stateName, stateWord } from '../../src/domain/tasks/status.ts';
import type { Task } from '../../src/domain/tasks/task.ts';
import { age } from '../../src/domain/text/amounts.ts';
import type { Span } from '../../src/domain/text/run-words.ts';
import { visible } from '../../src/domain/text/text.ts';
import type { Stage } from '../../src/ui/train.ts';
import { clock } from '../clock.ts';
import { useProject } from '../project.ts';

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** For an empty list: why it is empty, and what to type. */
export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

/** Text by people and agents. Control characters become visible, and none affects the text around it. */
export const Text = ({ children }: { children: string }) => <bdi>{visible(children)}</bdi>;

/** A symbol and a word; the colour only repeats them. */
export const Status = ({ word }: { word: StateWord }) => (
  <span class={`status ${word}`}>
    <span aria-hidden="true">{STATE_SYMBOLS[word]}</span> {stateName(word)}
  </span>
);

type TaskStatusProps = {
  task: Pick<Task, 'status' | 'open_blockers' | 'not_before'>;
  isLeftBehind?: boolean;
};

/** Only a task with a start time reads the clock, so that the others are not drawn every second. */
export const TaskStatus = ({ task, isLeftBehind = false }: TaskStatusProps) => (
  <Status word={stateWord(task, task.not_before === null ? 0 : clock.value, isLeftBehind)} />
);

export const TaskLink = ({ id, title }: { id: number; title: string }) => (
  <a class="task-link" href={`/tasks/${id}`}>
    <span class="id">#{id}</span> <Text>{title}</Text>
  </a>
);

type GateNameProps = { gate: Pick<GateResult, 'name' | 'passed'>; children: ComponentChildren };

/** `children`: more about the result. */
export const GateName = ({ gate: { name, passed }, children }: GateNameProps) => (
  <span class={`status ${passed ? 'done' : 'failed'}`}>
    {passed ? '✓' : '✗'} <Text>{name}</Text>
    {children}
  </span>
);

export function DisciplineName({ name }: { name: string | null }) {
  const found = useProject()?.disciplines.find((one) => one.name === name);
  const symbol = iconSymbol(found?.icon);
  if (name === null) return null;
  return (
    <span class="discipline">
      {found?.color != null && <span class="dot" style={{ backgroundColor: found.color }} />}
      {symbol !== null && (
        <span aria-hidden="true">
          <Text>{symbol}</Text>{' '}
        </span>
      )}
      <ShortName one={found ?? { name, display_name: null, acronym: null }} />
    </span>
  );
}

export function FeatureName({ name }: { name: string }) {
  const found = useProject()?.features.find((one) => one.name === name);
  return <ShortName one={found ?? { name, display_name: null, acronym: null }} />;
}

/** The acronym, where there is one; its whole name on hovering. */
const ShortName = ({ one }: { one: Pick<Feature, 'name' | 'display_name' | 'acronym'> }) =>
  one.acronym === null ? (
    <Text>{one.name}</Text>
  ) : (
    <abbr title={visible(one.display_name ?? one.name)}>
      <Text>{one.acronym}</Text>
    </abbr>
  );

/** Leads to all tasks with this tag. */
export const Tag = ({ name }: { name: string }) => (
  <a class="tag" href={`/tasks?${new URLSearchParams({ tag: name })}`}>
    <Text>{name}</Text>
  </a>
);

type SessionStateProps = {
  session: Pick<Session, 'ended' | 'closing' | 'outcome' | 'root'> & Stage;
  isAlive: boolean;
};

export function SessionState({ session, isAlive }: SessionStateProps) {
  const { state, word } = sessionState(session, isAlive);
  const isLanding = state === 'in_progress' && session.phase === 'landing';
  return (
    <span
      class={`status ${state}`}
      title={state === 'left_behind' ? leftBehindText(session.root) : undefined}
    >
      <span aria-hidden="true">{STATE_SYMBOLS[state]}</span> {isLanding ? 'landing' : word}
      {state === 'in_progress' && session.slot != null && `, slot ${session.slot}`}
    </span>
  );
}

// Created once: that takes longer than the rest of a row, and many rows are drawn again every second.
const exact = new Intl.DateTimeFormat([], { dateStyle: 'short', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' });

export const Ago = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={exact.format(at)}>
    {age(Math.max(0, clock.value - at))} ago
  </time>
);

/** How long something has lasted so far. */
export const Since = ({ at }: { at: number }) => <>{age(Math.max(0, clock.value - at))}</>;

/** For times so long ago that an age says little. */
export const At = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()}>{short.format(at)}</time>
);

/** Why something failed, in a sentence; nothing for null. */
export const Problem = ({ sentence }: { sentence: string | null }) =>
  sentence === null ? null : (
    <p class="error" role="alert">
      <Text>{sentence}</Text>
    </p>
  );

export const Spans = ({ children }: { children: readonly Span[] }) => (
  <>
    {children.map((span) => {
      if (typeof span === 'string') return span;
      if (span.as === 'command') return <code>{span.text}</code>;
      return span.as === 'strong' ? (
        <strong>
          <Text>{span.text}</Text>
        </strong>
      ) : (
        <Text>{span.text}</Text>
      );
    })}
  </>
);
