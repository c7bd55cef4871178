import { useState } from 'preact/hooks';
import type { Question } from '../../src/domain/tasks/task.ts';
import { act } from '../api.ts';
import { showNotice } from '../notice.ts';
import { errorSentence } from '../view.ts';
import { Problem, Text } from './labels.tsx';

/** By question: what the person typed stays until the server takes it, also if another person answers meanwhile. */
const drafts = new Map<number, string>();

export function AnswerForm({ question, onAnswered }: { question: Question; onAnswered?: () => void }) {
  const [text, setText] = useState(drafts.get(question.id) ?? '');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const write = (answer: string): void => {
    drafts.set(question.id, answer);
    setText(answer);
  };
  const send = async (answer: string): Promise<void> => {
    setBusy(true);
    try {
      showNotice(
        (await act('answer', { question: question.id, text: answer, seen: question.answer })).message,
      );
      setError(null);
      write('');
      onAnswered?.();
    } catch (refused) {
      setError(errorSentence(refused));
    }
    setBusy(false);
  };
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        void send(text);
      }}
    >
      {question.options.length > 0 && (
        <fieldset class="options" aria-label={`Options of Q${question.id}`}>
          {question.options.map((option) => (
            <button key={option} type="button" disabled={isBusy} onClick={() => void send(option)}>
              <Text>{option}</Text>
              {option === question.preferred && <span class="preferred"> preferred</span>}
            </button>
          ))}
        </fieldset>
      )}
      <div class="line">
        <input
          aria-label={`Answer to Q${question.id}`}
          placeholder="What the agent should know"
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isBusy || text.trim() === ''}>
          Answer
        </button>
      </div>
      <Problem sentence={error} />
    </form>
  );
}
