import { withoutColours } from '../../../src/domain/sessions/gate-output.ts';
import { tokens } from '../../../src/domain/text/amounts.ts';
import type { Row, WholeEntry as Whole } from '../../../src/ui/views/session.ts';
import { Problem, Text } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';

type Kind = Row['kind'];

const MARKS: Record<Kind, string> = {
  started: '▹',
  text: '¶',
  thought: '~',
  told: '>',
  tool: '▸',
  answer: '↳',
  retry: '↻',
  result: '■',
  note: '·',
  line: '│',
};

/** What a screen reader says instead of the mark. */
export const KIND_NAMES: Record<Kind, string> = {
  started: 'began',
  text: 'says',
  thought: 'thinks',
  told: 'is told',
  tool: 'uses',
  answer: 'gets',
  retry: 'waits',
  result: 'result',
  note: 'note',
  line: 'prints',
};

/** `words`: the search that this entry matches. The match may lie outside of the line shown. */
export function EntryRow({ row, words }: { row: Row | null; words: string | null }) {
  if (row === null) return <span class="entry" />;
  const bad = row.isWrong;
  return (
    <span class={`entry ${row.kind}${bad ? ' bad' : ''}${words === null ? '' : ' match'}`}>
      <span class="when">{row.at !== null && <Clock at={row.at} />}</span>
      <span class="mark" aria-hidden="true">
        {bad && row.kind !== 'retry' ? '✗' : MARKS[row.kind]}
      </span>
      <span class="unseen">
        {KIND_NAMES[row.kind]}
        {bad && ', wrong'}:
      </span>
      <span class="what">
        <Marked text={row.line} words={words} />
      </span>
    </span>
  );
}

export const Clock = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()}>{new Date(at).toTimeString().slice(0, 8)}</time>
);

function Marked({ text, words }: { text: string; words: string | null }) {
  const at = words === null ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  if (words === null || at < 0) return <Text>{text}</Text>;
  const end = at + words.length;
  return (
    <>
      <Text>{text.slice(0, at)}</Text>
      <mark>
        <Text>{text.slice(at, end)}</Text>
      </mark>
      <Text>{text.slice(end)}</Text>
    </>
  );
}

type EntryProps = { base: string; number: number; onClose(): void };

/** An entry never changes. */
const never = () => false;

export function WholeEntry({ base, number, onClose }: EntryProps) {
  const { value, error } = useView<Whole>(`${base}/entry?at=${number}`, never);
  return (
    <article class="whole">
      <header>
        <h2>
          Entry {number + 1}
          {value !== null && (
            <>
              : {KIND_NAMES[value.kind]} <Text>{value.tool ?? ''}</Text>
            </>
          )}
        </h2>
        {value !== null && value.at !== null && (
          <span class="aside">
            <Clock at={value.at} />
          </span>
        )}
        <button type="button" class="quiet" aria-label="Close the entry" onClick={onClose}>
          ✕
        </button>
      </header>
      <Problem sentence={error} />
      {value?.fields.map(({ name, text }) => (
        <div key={name}>
          {name !== '' && (
            <h3>
              <Text>{name}</Text>
            </h3>
          )}
          <pre>
            <Text>{withoutColours(text)}</Text>
          </pre>
        </div>
      ))}
      {value !== null && value.left_out > 0 && (
        <p class="aside">{tokens(value.left_out)} more characters are in its file.</p>
      )}
    </article>
  );
}
