import type { Session } from '../../../src/domain/sessions/session.ts';
import { type NumberedTry, tryText } from '../../../src/domain/tasks/tries.ts';
import type { PromptView, SessionPromptView } from '../../../src/ui/views/task.ts';
import { Problem, Text } from '../../parts/labels.tsx';
import { Disclosure, ScrollBox } from '../../parts/long-text.tsx';
import { useView } from '../../view.ts';

export const NextPrompt = ({ id }: { id: number }) => (
  <section aria-labelledby="prompt" class="prompt">
    <h2 id="prompt">Prompt</h2>
    <Disclosure summary="The prompt that an agent would get now, and the cost of each section">
      {() => <PromptSections id={id} />}
    </Disclosure>
  </section>
);

/** The events of a task that change its prompt. What its agent reports during a session does not. */
const PROMPT_EVENTS = ['task.edited', 'task.status', 'comment.added', 'question.answered', 'session.ended'];

function PromptSections({ id }: { id: number }) {
  const { value: prompt, error } = useView<PromptView>(
    `/api/tasks/${id}/prompt`,
    ({ kind, task_id }) => task_id === id && PROMPT_EVENTS.includes(kind),
  );
  if (prompt === null) return <Problem sentence={error} />;
  const total = (key: 'bytes' | 'tokens'): number =>
    prompt.sections.reduce((sum, section) => sum + section[key], 0);
  const [bytes, tokens] = [total('bytes'), total('tokens')];
  return (
    <>
      <ScrollBox label="Sections of the prompt">
        <table>
          <thead>
            <tr>
              <th scope="col">Section</th>
              <th scope="col" class="number">
                Bytes
              </th>
              <th scope="col" class="number">
                Tokens
              </th>
              <th scope="col">Share</th>
              <th scope="col">The question it answers</th>
            </tr>
          </thead>
          <tbody>
            {prompt.sections.map((section) => {
              const share = `${Math.round((100 * section.tokens) / Math.max(1, tokens))}%`;
              return (
                <tr key={section.name}>
                  <th scope="row">{section.name}</th>
                  <td class="number">{section.bytes.toLocaleString()}</td>
                  <td class="number">{section.tokens.toLocaleString()}</td>
                  <td class="share">
                    <span class="number">{share}</span>
                    <span class="bar" aria-hidden="true" style={{ width: share }} />
                  </td>
                  <td title={section.source}>{section.question}</td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              <td class="number">{bytes.toLocaleString()}</td>
              <td class="number">{tokens.toLocaleString()}</td>
              <td />
              <td>
                hash <code title={prompt.hash}>{prompt.hash.slice(0, 12)}</code>
              </td>
            </tr>
          </tfoot>
        </table>
      </ScrollBox>
      <PromptText label="The whole prompt" text={`${prompt.system}\n${prompt.prompt}`.trim()} />
    </>
  );
}

export function SessionPrompt({
  session,
}: {
  session: Pick<NumberedTry<Session>, 'id' | 'try' | 'outcome'>;
}) {
  const { value, error } = useView<SessionPromptView>(`/api/sessions/${session.id}/prompt`, () => false);
  return value === null ? (
    <Problem sentence={error} />
  ) : (
    <PromptText label={`The prompt, ${tryText(session)}`} text={value.prompt} />
  );
}

const PromptText = ({ label, text }: { label: string; text: string }) => (
  <ScrollBox label={label}>
    <pre>
      <Text>{text}</Text>
    </pre>
  </ScrollBox>
);
