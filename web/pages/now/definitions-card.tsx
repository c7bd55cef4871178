import { useState } from 'preact/hooks';
import type { NowView } from '../../../src/ui/views/now.ts';
import { actAndNotify } from '../../notice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Text } from '../../parts/labels.tsx';
import { useIsReadOnly } from '../../project.ts';

type Proposal = NowView['definitions'][number];
type Decision = 'approve' | 'reject';

/** In memory only: no file of the browser holds it, and a new page asks again. */
let knownCode: string | null = null;

/** A change below .ralph that no person has made, as text, and what to do with it. */
export function DefinitionsCard({ proposal }: { proposal: Proposal }) {
  const isReadOnly = useIsReadOnly();
  const [decision, setDecision] = useState<Decision | null>(null);
  const { text, files, isWhole, name } = proposal;
  return (
    <li class="card definitions">
      <p class="head">
        <Text>{`${text[0]?.toUpperCase()}${text.slice(1)}`}</Text>
      </p>
      {files.map(({ path, diff }) => (
        <figure key={path}>
          <figcaption>
            <code>
              <Text>{path}</Text>
            </code>
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long change is scrolled by the keyboard, too. */}
          <pre class="patch" tabIndex={0}>
            {diff.split('\n').map((line, at) => (
              <span key={at} class={lineClass(line)}>
                <Text>{line}</Text>
                {'\n'}
              </span>
            ))}
          </pre>
        </figure>
      ))}
      {!isWhole && (
        <p class="aside">
          It is too long for this page: <code>ralph approve --definitions {name}</code>
        </p>
      )}
      {!isReadOnly && (
        <div class="buttons">
          {isWhole && (
            <button type="button" onClick={() => setDecision('approve')}>
              Take it over
            </button>
          )}
          <button type="button" onClick={() => setDecision('reject')}>
            Drop it
          </button>
          {decision !== null && (
            <Decide proposal={proposal} decision={decision} onClose={() => setDecision(null)} />
          )}
        </div>
      )}
    </li>
  );
}

const lineClass = (line: string): string =>
  line.startsWith('+') ? 'added' : line.startsWith('-') ? 'gone' : '';

const WORDS: Readonly<Record<Decision, { title: string; question: string; yes: string }>> = {
  approve: {
    title: 'Take this change over?',
    question: 'It becomes part of your files, and agents work by it from then on.',
    yes: 'Take it over',
  },
  reject: {
    title: 'Drop this change?',
    question: 'Ralph forgets it; your files are as they were before.',
    yes: 'Drop it',
  },
};

type Props = { proposal: Proposal; decision: Decision; onClose: () => void };

function Decide({ proposal: { name, seen }, decision, onClose }: Props) {
  const [code, setCode] = useState(knownCode ?? '');
  const { title, question, yes } = WORDS[decision];
  const decide = async (event: Event): Promise<void> => {
    event.preventDefault();
    onClose();
    const typed = code.toUpperCase().replace(/[^A-Z0-9]/g, '');
    const done = await actAndNotify('definitions', { name, seen, decision }, typed);
    knownCode = done === null ? null : typed;
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void decide(event)}>
        <p>{question}</p>
        {knownCode === null && (
          <label class="code">
            <span>
              Code in the terminal of <code>ralph ui</code>
            </span>
            <input
              value={code}
              required
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger">
            {yes}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
