import { useState } from 'preact/hooks';
import type { Question } from '../../src/domain/tasks/task.ts';
import { act } from '../api.ts';
import { say } from '../notice.ts';
import { sentenceOf } from '../view.ts';
import { Problem, Text } from './labels.tsx';

/** By question: what is typed stays until it was taken, also where somebody else answers meanwhile. */
const typed = new Map<number, string>();

export function AnswerForm({ question, onTaken }: { question: Question; onTaken?: () => void }) {
  const [text, setText] = useState(typed.get(question.id) ?? '');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const write = (answer: string): void => {
    typed.set(question.id, answer);
    setText(answer);
  };
  const send = async (answer: string): Promise<void> => {
    setBusy(true);
    try {
      say((await act('answer', { question: question.id, text: answer, seen: question.answer })).message);
      setError(null);
      write('');
      onTaken?.();
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
