import { useEffect, useRef, useState } from 'preact/hooks';
import { LEARNING_KINDS } from '../../../src/domain/sessions/signal.ts';
import { visible } from '../../../src/domain/text/text.ts';
import type { LearningsView, ShownLearning } from '../../../src/ui/views/learnings.ts';
import { act, read } from '../../api.ts';
import { say } from '../../notice.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem, Text } from '../../parts/labels.tsx';
import { useProject } from '../../project.ts';
import { sentenceOf } from '../../view.ts';

type Said = Pick<ShownLearning, 'body' | 'category' | 'reason'>;

const saidBy = ({ body, category, reason }: Said): Said => ({ body, category, reason });

/** A new one of this feature, or another text for one that is there. What is typed stays until it was taken. */
type Props = { feature: string | null; learning?: ShownLearning; onClose: () => void };

export function LearningForm({ feature, learning, onClose }: Props) {
  const [said, setSaid] = useState<Said>(
    saidBy(learning ?? { body: '', category: 'discovery', reason: null }),
  );
  // What it says as far as this person was told: whatever is newer is somebody else's, and not to be undone.
  const [seen, setSeen] = useState(said);
  const [isTheirs, setTheirs] = useState(false);
  const [holdsFor, setHoldsFor] = useState(feature);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const fact = useRef<HTMLTextAreaElement>(null);
  useEffect(() => fact.current?.focus(), []);
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      const { message } =
        learning === undefined
          ? await act('learn', { ...said, feature: holdsFor })
          : await act('edit-learning', { id: learning.id, said, seen });
      say(message);
      onClose();
    } catch (refused) {
      setError(sentenceOf(refused));
      const now = learning === undefined ? null : await current(learning);
      if (now !== null && !isSame(now, seen)) {
        setSaid(merged(said, seen, now));
        setSeen(now);
        setTheirs(true);
      }
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
          {learning === undefined && <HoldsFor feature={holdsFor} onChange={setHoldsFor} />}
        </div>
        <Problem sentence={error} />
        {isTheirs && (
          <p class="aside">
            Somebody changed it meanwhile, to: <Text>{seen.body}</Text>
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || said.body.trim() === ''}>
            {learning === undefined ? 'Teach it' : isTheirs ? 'Save mine' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const kindOf = (text: string): Said['category'] | undefined => LEARNING_KINDS.find((kind) => kind === text);

/** Null where nobody can tell. */
async function current({ id, feature, archived }: ShownLearning): Promise<Said | null> {
  const view = await read<LearningsView>(learningsPath(feature, archived !== null)).catch(() => null);
  const found = view?.learnings.find((one) => one.id === id);
  return found === undefined ? null : saidBy(found);
}

const isSame = (one: Said, other: Said): boolean =>
  one.body === other.body && one.category === other.category && one.reason === other.reason;

/** What this person has left alone is as somebody else has made it. */
const merged = (mine: Said, seen: Said, now: Said): Said => ({
  body: mine.body === seen.body ? now.body : mine.body,
  category: mine.category === seen.category ? now.category : mine.category,
  reason: mine.reason === seen.reason ? now.reason : mine.reason,
});

function HoldsFor({
  feature,
  onChange,
}: {
  feature: string | null;
  onChange: (name: string | null) => void;
}) {
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
/** Where the learnings of a feature are read, or, for null, those of the whole project. */
export const learningsPath = (feature: string | null, isArchive: boolean): string =>
  `/api/learnings?${new URLSearchParams({
    ...(feature !== null && { feature }),
    ...(isArchive && { archived: '1' }),
  })}`;
