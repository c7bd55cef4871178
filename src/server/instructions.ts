import type { Binding } from './binding.ts';

const INTERACTIVE = `Ralph keeps this project's backlog and proves every "done".

To work on it: call next_task; it gives you one task with all you need to know, and the folder to work in. Do that task and nothing else. Then close it with done (Ralph runs the project's gates and believes only them), partial (what remains) or stuck (why). On the way: ask a person, learned for what later sessions should know, flag for problems beside the task, suggest for further work, blocked for what must come first.

To plan: create_feature, create_tasks, update_task, enrich_task. What a person decides (answer_question, set_task_status) only when they said so.

To look: the resources ralph://queue, ralph://questions, ralph://features, ralph://tasks/NUMBER, ralph://features/NAME.`;

const BOUND: Record<string, string> = {
  // The system prompt says it all, and every byte costs tokens in every session.
  task_execution: '',
  opus_review: 'You review one task of Ralph. End the session with approve or request_changes.',
};

/** Clients cut this at 2,048 characters. */
export const instructionsFor = ({ recipe }: Binding): string =>
  recipe === null
    ? INTERACTIVE
    : (BOUND[recipe] ??
      'You plan with Ralph: what you make with its tools are tasks and features of this project.');
