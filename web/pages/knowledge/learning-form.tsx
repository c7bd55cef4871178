import { useEffect, useRef, useState } from 'preact/hooks';
import { LEARNING_KINDS } from '../../../src/domain/sessions/signal.ts';
import { visible } from '../../../src/domain/text/text.ts';
import type { LearningsView, ShownLearning } from '../../../src/ui/views/knowledge.ts';
import { act, read } from '../../api.ts';
import { showNotice } from '../../notice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem, Text } from '../../parts/labels.tsx';
import { useProject } from '../../project.ts';
import { errorSentence } from '../../view.ts';

type LearningText = Pick<ShownLearning, 'body' | 'category' | 'reason'>;

const pickText = ({ body, category, reason }: LearningText): LearningText => ({ body, category, reason });

/** `learning`: the one to change; without it, the form adds one to the feature. */
type Props = { feature: string | null; learning?: ShownLearning; onClose: () => void };

export function LearningForm({ feature, learning, onClose }: Props) {
  const [text, setText] = useState<LearningText>(
    pickText(learning ?? { body: '', category: 'discovery', reason: null }),
  );
  // The text that this person has seen. Newer text is another person's, which saving must not undo.
  const [seen, setSeen] = useState(text);
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
          ? await act('learn', { ...text, feature: holdsFor })
          : await act('edit-learning', { id: learning.id, change: text, seen });
      showNotice(message);
      onClose();
    } catch (refused) {
      setError(errorSentence(refused));
      const now = learning === undefined ? null : await readCurrent(learning);
      if (now !== null && !isSame(now, seen)) {
        setText(mergeTexts(text, seen, now));
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
            value={text.body}
            placeholder="One fact that saves time, such as: all amounts are in cents"
            onInput={({ currentTarget }) => setText({ ...text, body: currentTarget.value })}
          />
        </label>
        <label>
          Why it is so
          <textarea
            rows={2}
            value={text.reason ?? ''}
            onInput={({ currentTarget }) => setText({ ...text, reason: currentTarget.value || null })}
          />
        </label>
        <div class="pair">
          <label>
            Kind
            <select
              value={text.category}
              onChange={({ currentTarget }) =>
                setText({ ...text, category: parseKind(currentTarget.value) ?? text.category })
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
            Another person changed it meanwhile, to: <Text>{seen.body}</Text>
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || text.body.trim() === ''}>
            {learning === undefined ? 'Teach it' : isTheirs ? 'Save mine' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const parseKind = (text: string): LearningText['category'] | undefined =>
  LEARNING_KINDS.find((kind) => kind === text);

/** The view of a feature's learnings, or, for null, of the whole project's. */
export const learningsPath = (feature: string | null, isArchive: boolean): string =>
  `/api/learnings?${new URLSearchParams({
    ...(feature !== null && { feature }),
    ...(isArchive && { archived: '1' }),
  })}`;

/** The stored text of the learning; null where it cannot be read. */
async function readCurrent({ id, feature, archived }: ShownLearning): Promise<LearningText | null> {
  const view = await read<LearningsView>(learningsPath(feature, archived !== null)).catch(() => null);
  const found = view?.learnings.find((one) => one.id === id);
  return found === undefined ? null : pickText(found);
}

const isSame = (one: LearningText, other: LearningText): boolean =>
  one.body === other.body && one.category === other.category && one.reason === other.reason;

/** Fields that this person has not changed take the newer value. */
const mergeTexts = (mine: LearningText, seen: LearningText, now: LearningText): LearningText => ({
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
