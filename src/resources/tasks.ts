import { featurePatterns } from '../context/feature-files.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Receipt } from '../domain/sessions/gate.ts';
import { LEFT_BEHIND, sessionState } from '../domain/sessions/session-state.ts';
import { flagText } from '../domain/tasks/flag.ts';
import type { Question } from '../domain/tasks/task.ts';
import { tryText } from '../domain/tasks/tries.ts';
import {
  checkboxes,
  fence,
  line,
  list,
  optional,
  quote,
  quotedSpan,
  under,
} from '../domain/text/markdown.ts';
import { orphanedTasks } from '../queue/sessions/runs.ts';
import { featureDetails } from '../queue/tasks/features.ts';
import { list as listTasks } from '../queue/tasks/list.ts';
import { show, type TaskDetails } from '../queue/tasks/show.ts';
import { taskText, taskTitle } from '../recipes/quoted.ts';
import type { Complete, ResourceFamily } from './resource.ts';
import { requireTaskId } from './resource.ts';

const MAX_COMPLETIONS = 1_000;

const openIds: Complete = async ({ queue }) =>
  (await listTasks(queue, { open: true, limit: MAX_COMPLETIONS })).map(({ id }) => String(id));
const doneIds: Complete = async ({ queue }) =>
  (await listTasks(queue, { status: 'done', limit: MAX_COMPLETIONS })).map(({ id }) => String(id));

export const task: ResourceFamily = {
  name: 'task',
  title: 'Task',
  description: 'Everything about one task: what is asked, where it stands, what was said and tried',
  uri: 'ralph://tasks/{id}',
  complete: { id: openIds },
  list: async ({ queue }, after, limit, scope) =>
    (
      await listTasks(queue, {
        open: true,
        after: Number(after ?? 0),
        limit,
        ...(scope !== null && { id: scope.task_id }),
      })
    ).map(({ id, title, status, feature }) => ({
      key: String(id),
      uri: `ralph://tasks/${id}`,
      title: `#${id} ${line(title)}`,
      description: feature === null ? status : `${status}, ${feature}`,
    })),
  read: async ({ queue, isAlive }, variables) => {
    const id = requireTaskId(variables);
    const isLeft = (await orphanedTasks(queue, isAlive)).has(id);
    return { text: `${describe(await show(queue, id), isLeft)}\n` };
  },
  isChangedBy: ({ task_id }, { id }) => task_id !== null && String(task_id) === id,
};

export const taskPrompt: ResourceFamily = {
  name: 'task_prompt',
  title: 'Prompt of a task',
  description: 'Exactly what an agent would be told if it took the task now',
  uri: 'ralph://tasks/{id}/prompt',
  complete: { id: openIds },
  read: async ({ writePrompt }, variables) => {
    const { system, prompt } = await writePrompt('task_execution', { task_id: requireTaskId(variables) });
    return { text: `${system}\n${prompt}` };
  },
  // A prompt contains the task's whole neighbourhood: its feature, nearby tasks, learnings.
  isChangedBy: () => true,
  filePatterns: async ({ queue }, variables) => {
    const { context_files, feature } = await show(queue, requireTaskId(variables));
    const knowledge = feature === null ? [] : featurePatterns((await featureDetails(queue, feature)).feature);
    return ['.ralph', ...context_files, ...knowledge];
  },
};

export const receipt: ResourceFamily = {
  name: 'task_receipt',
  title: 'Receipt of a task',
  description: 'The proof behind a done: what was said, which gates ran, what it cost',
  uri: 'ralph://tasks/{id}/receipt',
  complete: { id: doneIds },
  read: async ({ queue }, variables) => {
    const found = await show(queue, requireTaskId(variables));
    if (found.receipt === null)
      throw new Refusal(
        `Task ${found.id} has no receipt: it is ${found.status}, and only a proven done has one.`,
      );
    return { text: `${receiptText(found.title, found.receipt)}\n` };
  },
  isChangedBy: ({ kind, task_id }, { id }) => kind === 'task.status' && String(task_id) === id,
};

function receiptText(title: string, proof: Receipt): string {
  const gates = proof.gates.map(
    ({ name, passed, required }) =>
      `${name}: ${passed ? 'passed' : 'failed'}${required ? '' : ' (not required)'}`,
  );
  return (
    under(
      `# Receipt: #${proof.task_id} ${line(title)}`,
      fence(proof.summary),
      gates.length === 0 ? 'No gate is configured, so none ran.' : `## Gates\n\n${list(gates)}`,
      list([
        `session: ralph://sessions/${proof.session_id}`,
        `commit: ${proof.commit ?? 'none'}`,
        ...(proof.no_change_reason === null ? [] : [`no change: ${quotedSpan(proof.no_change_reason)}`]),
        ...(proof.diff_stat === null
          ? []
          : [
              `changed: ${proof.diff_stat.files} files, +${proof.diff_stat.insertions} -${proof.diff_stat.deletions}`,
            ]),
        `model: ${proof.model ?? 'not known'}, ${proof.turns} turns, $${proof.cost_usd.toFixed(2)}`,
      ]),
    ) ?? ''
  );
}

function questionText({ id, question, answer, dismissed }: Question): string {
  const state = answer !== null ? `answered: ${answer}` : dismissed === null ? 'open' : 'dismissed';
  return `${id}. ${quotedSpan(question)} (${state})`;
}

/** `isLeft`: the process of its running session is gone. */
function describe(one: TaskDetails, isLeft: boolean): string {
  const isAgents = one.provenance === 'agent';
  const facts = [
    `status: ${one.status}`,
    ...(one.archived === null ? [] : ['removed by a person; its history stays']),
    ...(one.kind === 'change' ? [] : [`kind: ${one.kind}`]),
    `priority: ${one.priority}`,
    ...(one.feature === null ? [] : [`feature: ${one.feature}`]),
    ...(one.discipline === null ? [] : [`discipline: ${one.discipline}`]),
    ...(one.tags.length === 0 ? [] : [`tags: ${one.tags.join(', ')}`]),
    ...(one.agent === null ? [] : [`agent: ${one.agent}`]),
    ...(one.model === null ? [] : [`model: ${one.model}`]),
    ...(one.effort === null ? [] : [`effort: ${one.effort}`]),
    ...(one.estimated_turns === null ? [] : [`estimated turns: ${one.estimated_turns}`]),
    ...(one.enriched_at === null ? [] : [`enriched: ${new Date(one.enriched_at).toISOString()}`]),
    ...(one.parent === null ? [] : [`part of: #${one.parent}`]),
    ...(one.depends_on.length === 0 ? [] : [`depends on: ${one.depends_on.map((id) => `#${id}`).join(' ')}`]),
    ...(one.blocked_by === null ? [] : [`blocked by: ${quotedSpan(one.blocked_by)}`]),
    ...(one.tries === 0 ? [] : [`tries: ${one.tries}`]),
    ...(one.attempts === 0 ? [] : [`refuted dones: ${one.attempts}`]),
    ...(one.stuck_count === 0 ? [] : [`times stuck: ${one.stuck_count}`]),
  ];
  return (
    under(
      `# #${one.id} ${taskTitle(one)}`,
      list(facts),
      optional(one.description, (text) => taskText(text, isAgents)),
      one.acceptance_criteria.length === 0 ? null : `## Done when\n\n${checkboxes(one.acceptance_criteria)}`,
      one.output_artifacts.length === 0
        ? null
        : `## Files to create or change\n\n${list(one.output_artifacts)}`,
      one.context_files.length === 0 ? null : `## Context files\n\n${list(one.context_files)}`,
      optional(one.hints, (text) => `## Hints\n\n${taskText(text, isAgents || one.enriched_at !== null)}`),
      optional(
        one.pseudocode,
        (text) => `## Plan\n\n${taskText(text, isAgents || one.enriched_at !== null)}`,
      ),
      one.questions.length === 0 ? null : `## Questions\n\n${list(one.questions.map(questionText))}`,
      one.flags.length === 0
        ? null
        : `## Flags\n\n${list(one.flags.map((flag) => `${flag.severity}, ${quotedSpan(flagText(flag))} (${flag.closed === null ? 'open' : 'closed'})`))}`,
      one.comments.length === 0
        ? null
        : `## Comments\n\n${one.comments.map(({ author, body }) => `${author}:\n\n${author === 'human' ? quote(body) : fence(body)}`).join('\n\n')}`,
      one.sessions.length === 0
        ? null
        : `## Sessions\n\n${list(one.sessions.map((session) => `${tryText(session)}, ${sessionState(session, !isLeft).word}: ralph://sessions/${session.id}`))}`,
      isLeft ? LEFT_BEHIND : null,
      one.receipt === null ? null : `Receipt: ralph://tasks/${one.id}/receipt`,
    ) ?? ''
  );
}
