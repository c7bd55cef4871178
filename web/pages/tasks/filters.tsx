import { useRef } from 'preact/hooks';
import type { StatusWord } from '../../../src/domain/tasks/status.ts';
import { visible } from '../../../src/domain/text/text.ts';
import type { TasksView } from '../../../src/ui/views/tasks.ts';
import { currentUrl, go, withQuery } from '../../navigation.ts';
import { Status } from '../../parts/labels.tsx';
import { useProject } from '../../project.ts';

export const FILTERS = ['status', 'feature', 'discipline', 'tag', 'text'] as const;

/** A pending task is ready or waiting. The word for both is shown only where the address names it. */
const WORDS: readonly StatusWord[] = [
  'ready',
  'waiting',
  'in_progress',
  'needs_input',
  'blocked',
  'failed',
  'draft',
  'done',
  'skipped',
];

const TEXT_ID = 'task-text';

export function focusFilter(): void {
  const input = document.getElementById(TEXT_ID);
  if (!(input instanceof HTMLInputElement)) return;
  input.focus();
  input.select();
}

const choose = (name: (typeof FILTERS)[number], value: string, replace = false): void =>
  go(withQuery({ [name]: value, page: '' }), { replace });

type Props = { counts: TasksView['counts'] | null; tags: readonly string[]; onLeave: () => void };

export function TaskFilters({ counts, tags, onLeave }: Props) {
  const { searchParams } = currentUrl.value;
  const project = useProject();
  const chosen = (searchParams.get('status') ?? '').split(',').filter(Boolean);
  const toggle = (word: string): void =>
    choose(
      'status',
      (chosen.includes(word) ? chosen.filter((one) => one !== word) : [...chosen, word]).join(),
    );
  const words = chosen.includes('pending') ? (['pending', ...WORDS] as const) : WORDS;
  // The first letter adds a step to the history and the rest replace it: one step back undoes the whole word.
  const isTyping = useRef(false);
  return (
    <search class="task-filters">
      <input
        id={TEXT_ID}
        type="search"
        aria-label="Text or number"
        placeholder="Text or #7"
        value={searchParams.get('text') ?? ''}
        onFocus={() => {
          isTyping.current = false;
        }}
        onInput={({ currentTarget }) => {
          choose('text', currentTarget.value, isTyping.current);
          isTyping.current = true;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          event.currentTarget.blur();
          onLeave();
        }}
      />
      <Choice name="feature" choices={project?.features ?? []} />
      <Choice name="discipline" choices={project?.disciplines ?? []} />
      {(tags.length > 0 || searchParams.has('tag')) && (
        <Choice name="tag" choices={tags.map((name) => ({ name, display_name: null }))} />
      )}
      {FILTERS.some((name) => searchParams.has(name)) && <a href="/tasks">Clear</a>}
      <fieldset aria-label="Status">
        {words.map((word) => (
          <button
            key={word}
            type="button"
            aria-pressed={chosen.includes(word)}
            class={counts?.[word] === 0 ? 'chip none' : 'chip'}
            onClick={() => toggle(word)}
          >
            <Status word={word} /> {counts?.[word]}
          </button>
        ))}
      </fieldset>
    </search>
  );
}

const LABELS = { feature: 'Feature', discipline: 'Discipline', tag: 'Tag' } as const;

type ChoiceProps = {
  name: keyof typeof LABELS;
  choices: readonly { name: string; display_name: string | null }[];
};

function Choice({ name, choices }: ChoiceProps) {
  return (
    <select
      aria-label={LABELS[name]}
      value={currentUrl.value.searchParams.get(name) ?? ''}
      onChange={({ currentTarget }) => choose(name, currentTarget.value)}
    >
      <option value="">all {name}s</option>
      {choices.map((one) => (
        <option key={one.name} value={one.name}>
          {visible(one.display_name ?? one.name)}
        </option>
      ))}
    </select>
  );
}
