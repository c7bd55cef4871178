import type { TaskView } from '../../../src/ui/views/task.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Ago, Text } from '../../parts/labels.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { AUTHORS } from './head.tsx';

/** Newest first. */
export const Comments = ({ comments }: Pick<TaskView, 'comments'>) => (
  <section aria-labelledby="comments">
    <h2 id="comments">Comments</h2>
    <ul class="comments">
      {comments.toReversed().map(({ author, body, created }, index) => (
        <li key={comments.length - index}>
          <p class="aside">
            {AUTHORS[author]}, <Ago at={created} />
          </p>
          {author === 'human' || !body.includes('\n') ? <LongText text={body} /> : <Folded text={body} />}
        </li>
      ))}
    </ul>
  </section>
);

/** The attempts show what sessions and gates wrote, too: here the first line is enough to recognise it. */
const Folded = ({ text }: { text: string }) => (
  <Disclosure summary={<Text>{text.slice(0, Math.min(200, text.indexOf('\n')))}</Text>}>
    {() => <LongText text={text} />}
  </Disclosure>
);
