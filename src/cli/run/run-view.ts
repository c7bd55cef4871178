// Shows a run: a footer on a terminal, plain lines in a pipe, one JSON event a line for scripts.

import { basename } from 'node:path';
import { pendingDefinitions } from '../../app/definitions/definitions.ts';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext } from '../../app/world.ts';
import type { Config } from '../../domain/config.ts';
import type { StopTime } from '../../domain/sessions/session.ts';
import { visibleJson } from '../../domain/text/text.ts';
import { countRunLearnings } from '../../queue/learnings/learnings.ts';
import { findNeeds } from '../../queue/tasks/needs.ts';
import { status } from '../../queue/tasks/status.ts';
import type { StopSignals, SupervisorEvent } from '../../supervisor/input.ts';
import type { Stop } from '../../supervisor/stop.ts';
import { withPlace } from '../../text/run/at-work.ts';
import { pipeLines } from '../../text/run/pipe-lines.ts';
import { footer } from '../../text/run/run-footer.ts';
import { eventLines, headerLine } from '../../text/run/run-lines.ts';
import { beginState, nextState, type RunState } from '../../text/run/run-state.ts';
import { MAX_SHOWN, summary } from '../../text/run/run-summary.ts';
import type { Look } from '../../text/terminal/row.ts';
import { stickyFooter } from '../terminal/sticky-footer.ts';

export type RunView = {
  /** Prints the first line, and shows the footer from here on. */
  begin(): Promise<void>;
  tell(event: SupervisorEvent): void;
  /** Removes the footer. */
  close(): void;
  summary(stop: Stop): Promise<string>;
};

type ViewInput = {
  context: CommandContext;
  project: Project;
  command: RunState['command'];
  /** `jobs`: how many sessions may work at once. */
  limits: Pick<Config, 'max_attempts'> & { budget_usd: number; jobs: number };
  stop: StopSignals;
};

/** A talkative agent must not cause a read of the queue for every message. */
const READ_EVERY_MS = 1_000;

/** The footer shows what is running; a line for it would only push finished tasks away. */
const isInFooter = (event: SupervisorEvent): boolean =>
  ['started', 'gate', 'phase'].includes(event.kind) || (event.kind === 'slot' && event.step !== 'repaired');

export function runView({ context, project, command, limits, stop }: ViewInput): RunView {
  const { pipes, asJson, terminal, now } = context;
  let state = beginState({ command, project: basename(project.root), started: now(), ...limits });
  let pane: ReturnType<typeof stickyFooter> | null = null;
  let read = 0;
  let isClosed = false;

  const look = (): Look => ({
    columns: pipes.screen?.size().columns ?? terminal.columns,
    color: terminal.color,
  });
  const print = (lines: readonly string[]): void => {
    if (pane !== null) pane.print(lines);
    else for (const line of lines) pipes.print(`${line}\n`);
  };
  const change = (next: RunState): void => {
    state = next;
    pane?.touch();
  };
  const refresh = async (): Promise<void> => {
    read = now();
    try {
      const queue = await status(project.queue);
      if (!isClosed) change({ ...state, queue, project: queue.title ?? state.project });
    } catch {
      // The footer keeps its last state; the supervisor reports what is wrong with the queue.
    }
  };
  onStop(stop, (stopping) => {
    if (pane === null && stopping === 'after' && !isClosed) {
      const isOne = state.sessions.size < 2;
      const what = isOne ? 'this session; Ctrl-C again ends it' : 'these sessions; Ctrl-C again ends them';
      pipes.log(`\nralph: Stopping after ${what} now.\n`);
    }
    change({ ...state, stopping });
  });

  return {
    begin: async () => {
      if (asJson) return;
      await refresh();
      const tasks = Object.values(state.queue?.counts ?? {}).reduce((sum, count) => sum + count, 0);
      print([headerLine(state, tasks, look())]);
      if (pipes.screen !== null)
        pane = stickyFooter(pipes.screen, (size) => footer(state, now(), { ...look(), ...size }));
    },
    tell: (event) => {
      const before = state;
      change(nextState(state, event, now()));
      if (asJson) return print([visibleJson(withPlace(event, before.sessions, state.sessions), 0)]);
      if (pane === null) print(pipeLines(event, { before, after: state }, look()));
      else if (!isInFooter(event)) print(eventLines(event, state, look()));
      const isLater = event.kind !== 'observed' || now() - read >= READ_EVERY_MS;
      if (pane !== null && isLater) void refresh();
    },
    close: () => {
      isClosed = true;
      pane?.close();
      pane = null;
    },
    summary: async (reason) => {
      const ended = {
        state,
        stop: reason,
        now: now(),
        queue: await status(project.queue),
        needs: await findNeeds(project.queue, MAX_SHOWN),
        definitions: await pendingDefinitions(project),
        learned: state.run_id === null ? 0 : await countRunLearnings(project.queue, state.run_id),
      };
      return `\n${summary(ended, look())}`;
    },
  };
}

function onStop({ after, now }: ViewInput['stop'], listener: (stopping: StopTime) => void): void {
  after.addEventListener('abort', () => listener(now.aborted ? 'now' : 'after'), { once: true });
  now.addEventListener('abort', () => listener('now'), { once: true });
}
