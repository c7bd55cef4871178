import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isOpenQuestion, type Question } from '../../src/domain/tasks/task.ts';
import { act } from '../api.ts';
import { actAndNotify, showNotice } from '../notice.tsx';
import { useIsReadOnly } from '../project.ts';
import { errorSentence } from '../view.ts';
import { Dialog } from './dialog.tsx';
import { Ago, Problem, Text } from './labels.tsx';
import { LongText } from './long-text.tsx';

/** `children`: the task that asks, where the page does not show it. */
type Props = { question: Question; children?: ComponentChildren };

export function QuestionCard({ question, children }: Props) {
  const isReadOnly = useIsReadOnly();
  return (
    <li class={isOpenQuestion(question) && question.blocking ? 'card needs_input' : 'card'}>
      <p class="head">
        <strong>Q{question.id}</strong> {children}
        <span class="aside">
          {isOpenQuestion(question) && (question.blocking ? 'its task waits, ' : 'its task did not wait, ')}
          asked <Ago at={question.asked} />
        </span>
      </p>
      <LongText text={question.question} />
      {question.answer !== null && <Answer question={question} answer={question.answer} />}
      {question.answer === null && question.dismissed !== null && <p class="aside">You dismissed it.</p>}
      {question.answer === null && !isReadOnly && <AnswerForm question={question} />}
      {isOpenQuestion(question) && !question.blocking && !isReadOnly && (
        <button
          type="button"
          class="quiet"
          onClick={() => void actAndNotify('dismiss', { question: question.id })}
        >
          Dismiss Q{question.id}
        </button>
      )}
    </li>
  );
}

function Answer({ question, answer }: { question: Question; answer: string }) {
  const isReadOnly = useIsReadOnly();
  const [isReplacing, setReplacing] = useState(false);
  return (
    <div class="answered">
      <p class="head">
        <span class="status done">✓ answered</span> <Ago at={question.answered ?? question.asked} />
        {!isReadOnly && (
          <button type="button" class="quiet" onClick={() => setReplacing(true)}>
            Answer Q{question.id} again
          </button>
        )}
      </p>
      <LongText text={answer} />
      {isReplacing && (
        <Dialog title={`Replace the answer to Q${question.id}?`} onClose={() => setReplacing(false)}>
          <p>Your answer replaces this one in every later prompt:</p>
          <LongText text={answer} />
          <AnswerForm question={question} onAnswered={() => setReplacing(false)} />
        </Dialog>
      )}
    </div>
  );
}

/** By question: what the person typed stays until the server takes it, also if another person answers meanwhile. */
const drafts = new Map<number, string>();

function AnswerForm({ question, onAnswered }: { question: Question; onAnswered?: () => void }) {
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
