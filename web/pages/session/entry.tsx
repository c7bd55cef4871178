import { withoutColours } from '../../../src/domain/sessions/gate-output.ts';
import { tokens } from '../../../src/domain/text/amounts.ts';
import type { WholeEntry as Whole } from '../../../src/ui/views/session.ts';
import { Problem, Text } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';
import { Clock, KIND_NAMES } from './row.tsx';

type Props = { base: string; number: number; onClose(): void };

/** An entry never changes. */
const never = () => false;

export function WholeEntry({ base, number, onClose }: Props) {
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
