import { useState } from 'preact/hooks';
import { AUTHOR_NAMES } from '../../../src/domain/tasks/task.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { act } from '../../api.ts';
import { showNotice } from '../../notice.tsx';
import { Ago, Problem, Text } from '../../parts/labels.tsx';
import { Disclosure, LongText } from '../../parts/long-text.tsx';
import { useIsReadOnly } from '../../project.ts';
import { errorSentence } from '../../view.ts';

/** Newest first. */
export function Comments({ task: { id, comments } }: { task: Pick<TaskView, 'id' | 'comments'> }) {
  const isReadOnly = useIsReadOnly();
  if (isReadOnly && comments.length === 0) return null;
  return (
    <section aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      {!isReadOnly && <CommentForm key={id} id={id} />}
      <ul class="comments">
        {comments.toReversed().map(({ author, body, created }, index) => (
          <li key={comments.length - index}>
            <p class="aside">
              {AUTHOR_NAMES[author]}, <Ago at={created} />
            </p>
            {author === 'human' || !body.includes('\n') ? <LongText text={body} /> : <Folded text={body} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The text stays in the form until the server takes it. */
function CommentForm({ id }: { id: number }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      showNotice((await act('comment', { id, text })).message);
      setText('');
      setError(null);
    } catch (refused) {
      setError(errorSentence(refused));
    }
    setBusy(false);
  };
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        rows={2}
        aria-label="Comment"
        placeholder="What the next session should know"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="buttons">
        <button type="submit" disabled={isBusy || text.trim() === ''}>
          Comment
        </button>
      </div>
      <Problem sentence={error} />
    </form>
  );
}

/** The tries show what sessions and gates wrote, too: here the first line is enough to recognise it. */
const Folded = ({ text }: { text: string }) => (
  <Disclosure summary={<Text>{text.slice(0, Math.min(200, text.indexOf('\n')))}</Text>}>
    {() => <LongText text={text} />}
  </Disclosure>
);
