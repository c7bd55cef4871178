import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isOpenQuestion, type Question } from '../../src/domain/tasks/task.ts';
import { actAndNotify } from '../notice.ts';
import { useIsReadOnly } from '../project.ts';
import { AnswerForm } from './answer-form.tsx';
import { Dialog } from './dialog.tsx';
import { Ago } from './labels.tsx';
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
