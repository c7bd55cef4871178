import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { latestResults } from '../../domain/sessions/gate.ts';
import { endText } from '../../domain/sessions/session.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { type Interval, taskTimeline } from '../../domain/tasks/task-timeline.ts';
import { learningsById } from '../../queue/learnings/learnings.ts';
import { orphanedTasks } from '../../queue/sessions/runs.ts';
import { resolveSessionId } from '../../queue/sessions/sessions.ts';
import { getTask } from '../../queue/tasks/list.ts';
import { show, type TaskDetails } from '../../queue/tasks/show.ts';
import {
  type TaskAttempt,
  type TaskLinks,
  taskAttempts,
  taskLinks,
  timeline,
} from '../../queue/tasks/task-page.ts';
import { type Reason, why } from '../../queue/tasks/why.ts';
import type { Prompt } from '../../recipes/render.ts';
import { idText, text } from '../fields.ts';
import { defineView } from '../view.ts';
import { type ShownGate, showGate } from './gates.ts';
import { learningHref } from './knowledge.ts';

/** Everything about one task: what it is, why it waits, and how each attempt ended. */
export type TaskView = Omit<TaskDetails, 'sessions' | 'gates'> & {
  tries: number;
  cost_usd: number;
  reasons: readonly Reason[];
  /** How many reasons are not shown. */
  more_reasons: number;
  links: TaskLinks;
  /** Newest first; each gate with its latest result. */
  history: readonly (Omit<TaskAttempt, 'gates'> & {
    gates: readonly ShownGate[];
    isAlive: boolean;
    end_text: string | null;
  })[];
  story: readonly Interval[];
  /** The learnings in the prompt of the session that did it. `href`: null for one that was removed since. */
  given: readonly { id: number; href: string | null }[];
  /** All tasks in progress whose session has no living process. */
  left_behind: readonly number[];
};

const MAX_REASONS = 20;

export const task = defineView({
  path: '/api/tasks/:id',
  input: z.strictObject({ id: idText }),
  read: async ({ queue, isAlive }, { id }): Promise<TaskView> => {
    const { sessions, gates: _, ...details } = await show(queue, id);
    const { reasons } = await why(queue, id, isAlive);
    const attempts = await taskAttempts(queue, id);
    const ids = details.receipt?.learnings ?? [];
    const learnings = new Map((await learningsById(queue, ids)).map((one) => [one.id, one]));
    const orphans = await orphanedTasks(queue, isAlive);
    return {
      ...details,
      cost_usd: sessions.reduce((sum, { usage }) => sum + usage.cost_usd, 0),
      reasons: reasons.slice(0, MAX_REASONS),
      more_reasons: Math.max(0, reasons.length - MAX_REASONS),
      links: await taskLinks(queue, id),
      history: attempts.map((attempt) => ({
        ...attempt,
        gates: latestResults(attempt.gates).map(showGate),
        isAlive: attempt.session.ended === null && !orphans.has(id),
        end_text: attempt.session.end === null ? null : endText(attempt.session.end),
      })),
      story: taskTimeline(details, await timeline(queue, id), attempts),
      given: ids.map((learning_id) => {
        const learning = learnings.get(learning_id);
        return { id: learning_id, href: learning === undefined ? null : learningHref(learning) };
      }),
      left_behind: [...orphans],
    };
  },
});

/** The values that the form of a task starts with. */
export const taskFields = defineView({
  path: '/api/tasks/:id/fields',
  input: z.strictObject({ id: idText }),
  read: ({ queue }, { id }): Promise<Task> => getTask(queue, id),
});

/** The prompt that an agent would get now, and what each section of it costs. */
export type PromptView = Pick<Prompt, 'system' | 'prompt' | 'sections' | 'hash'>;

export const taskPrompt = defineView({
  path: '/api/tasks/:id/prompt',
  input: z.strictObject({ id: idText }),
  read: async (backend, { id }): Promise<PromptView> => {
    const { system, prompt, sections, hash } = await backend.prompt(id);
    return { system, prompt, sections, hash };
  },
});

/** The prompt that the agent of a session got. */
export type SessionPromptView = { prompt: string };

export const sessionPrompt = defineView({
  path: '/api/sessions/:id/prompt',
  input: z.strictObject({ id: text }),
  read: async ({ queue, keptPrompt }, { id }): Promise<SessionPromptView> => {
    const prompt = await keptPrompt(await resolveSessionId(queue, id));
    if (prompt === null) throw new Refusal('The prompt of this session was not saved.');
    return { prompt };
  },
});
