import { useEffect, useRef, useState } from 'preact/hooks';
import { LEARNING_KINDS } from '../../src/domain/signal.ts';
import { visible } from '../../src/domain/text.ts';
import type { ShownLearning } from '../../src/ui/views/learnings.ts';
import { act } from '../api.ts';
import { say } from '../notice.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { useProject } from '../project.ts';
import { sentenceOf } from '../view.ts';

type Said = Pick<ShownLearning, 'body' | 'category' | 'reason'>;

const saidBy = ({ body, category, reason }: Said): Said => ({ body, category, reason });

/** A new one of this feature, or another text for one that is there. What is typed stays until it was taken. */
type Props = { feature: string | null; learning?: ShownLearning; onClose: () => void };

export function LearningForm({ feature, learning, onClose }: Props) {
  const [said, setSaid] = useState<Said>(
    saidBy(learning ?? { body: '', category: 'discovery', reason: null }),
  );
  const [begun] = useState(learning);
  const [about, setAbout] = useState(feature);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const fact = useRef<HTMLTextAreaElement>(null);
  useEffect(() => fact.current?.focus(), []);
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      const { message } =
        learning === undefined
          ? await act('learn', { ...said, feature: about })
          : // Whoever was told what it says by now, and says it again, means it.
            await act('edit-learning', {
              id: learning.id,
              said,
              seen: saidBy(error === null && begun !== undefined ? begun : learning),
            });
      say(message);
      onClose();
    } catch (refused) {
      setError(sentenceOf(refused));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={learning === undefined ? 'Teach later sessions a fact' : `Learning ${learning.id}`}
      onClose={onClose}
    >
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label>
          The fact
          <textarea
            ref={fact}
            rows={4}
            required
            value={said.body}
            placeholder="One fact that saves time, such as: all amounts are in cents"
            onInput={({ currentTarget }) => setSaid({ ...said, body: currentTarget.value })}
          />
        </label>
        <label>
          Why it is so
          <textarea
            rows={2}
            value={said.reason ?? ''}
            onInput={({ currentTarget }) => setSaid({ ...said, reason: currentTarget.value || null })}
          />
        </label>
        <div class="pair">
          <label>
            Kind
            <select
              value={said.category}
              onChange={({ currentTarget }) =>
                setSaid({ ...said, category: kindOf(currentTarget.value) ?? said.category })
              }
            >
              {LEARNING_KINDS.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          {learning === undefined && <About feature={about} onChange={setAbout} />}
        </div>
        <Problem sentence={error} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || said.body.trim() === ''}>
            {learning === undefined ? 'Teach it' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const kindOf = (text: string): Said['category'] | undefined => LEARNING_KINDS.find((kind) => kind === text);

function About({ feature, onChange }: { feature: string | null; onChange: (name: string | null) => void }) {
  const features = useProject()?.features ?? [];
  return (
    <label>
      Holds for
      <select value={feature ?? ''} onChange={({ currentTarget }) => onChange(currentTarget.value || null)}>
        <option value="">the whole project</option>
        {features.map(({ name, display_name }) => (
          <option key={name} value={name}>
            {visible(display_name ?? name)}
          </option>
        ))}
      </select>
    </label>
  );
}
