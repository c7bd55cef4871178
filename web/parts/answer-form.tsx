import { useState } from 'preact/hooks';
import type { Question } from '../../src/domain/task.ts';
import { act } from '../api.ts';
import { say } from '../notice.ts';
import { sentenceOf } from '../view.ts';
import { Problem } from './problem.tsx';
import { Text } from './text.tsx';

/** What is typed stays until it was taken. */
export function AnswerForm({ question }: { question: Question }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (answer: string): Promise<void> => {
    setBusy(true);
    try {
      say((await act('answer', { question: question.id, text: answer })).message);
      setError(null);
      setText('');
    } catch (refused) {
      setError(sentenceOf(refused));
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
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isBusy || text.trim() === ''}>
          Answer
        </button>
      </div>
      <Problem sentence={error} />
    </form>
  );
}
