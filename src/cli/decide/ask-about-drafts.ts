// Asks the person about one draft after another. Each decision is stored at once, also if they quit in between.

import type { CommandContext, Output } from '../../app/world.ts';
import type { InferredDependency } from '../../domain/planning/infer-dependencies.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { plural, visible } from '../../domain/text/text.ts';
import { missingDependencies } from '../../queue/planning/read-proposal.ts';
import type { Queue } from '../../queue/queue.ts';
import { decideDrafts } from '../../queue/tasks/decide.ts';
import { editTask } from '../../queue/tasks/edit.ts';
import { list } from '../../queue/tasks/list.ts';
import { show } from '../../queue/tasks/show.ts';
import { missingText, taskPlace } from '../../text/proposal-text.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { decisionLine, editHint } from '../commands/tasks/approve.ts';
import { detailsText } from '../commands/tasks/show.ts';
import { editText } from '../terminal/person-text.ts';

type Dialog = Pick<CommandContext, 'cwd' | 'env' | 'now' | 'terminal' | 'pipes'> & {
  queue: Queue;
  verify: boolean;
  ask: (question: string) => Promise<string>;
};

export async function askAboutDrafts(dialog: Dialog): Promise<Output> {
  const { queue, pipes } = dialog;
  const drafts = await list(queue, { status: 'draft' });
  if (drafts.length === 0) return { json: [], text: 'There are no drafts.' };
  pipes.print(`${plural(drafts.length, 'draft')}:\n${drafts.map(draftLine).join('\n')}\n\n`);
  const decided: Task[] = [];
  for (const { id } of drafts) {
    const answer = await decideOne(dialog, id);
    if (answer === 'quit') break;
    if (answer !== 'later') {
      decided.push(answer);
      pipes.print(`${decisionLine(answer)}\n`);
    }
  }
  const queued = decided.filter(({ status }) => status === 'pending').length;
  const left = drafts.length - decided.length;
  return {
    json: decided,
    text: [
      `${queued} queued, ${decided.length - queued} dropped, ${plural(left, 'draft')} left.`,
      ...editHint(decided),
    ].join('\n'),
  };
}

const draftLine = ({ id, title, enriched_at, ...place }: Task): string =>
  `  ~ #${id} ${oneLine(title)}${taskPlace(place)}${enriched_at === null ? '' : ' (enriched)'}`;

const CHOICES = '[a]pprove, [s]how, [e]dit, [d]rop, [l]ater, [q]uit';

async function decideOne(dialog: Dialog, id: number): Promise<Task | 'later' | 'quit'> {
  const { queue, pipes, verify } = dialog;
  let edited: string | null = null;
  for (;;) {
    const task = await show(queue, id);
    const answer = await askLetter(dialog, `#${id} ${oneLine(task.title)}: ${CHOICES}? `);
    switch (answer) {
      case 'a':
      case 'd': {
        const [wanted, dropped] = answer === 'a' ? [[id], []] : [[], [id]];
        const dependencies = await askAboutDependencies(dialog, wanted);
        const [decided] = await decideDrafts(queue, { queued: wanted, dropped, verify, dependencies });
        return decided ?? 'later';
      }
      case 's':
        pipes.print(`\n${detailsText(task, dialog)}\n\n`);
        break;
      case 'e':
        edited = await editDraft(dialog, task, edited);
        break;
      case 'l':
        return 'later';
      case 'q':
        return 'quit';
      default:
        pipes.print('Type one of the letters.\n');
    }
  }
}

/** The missing dependencies that the person accepts: all of them or none. */
async function askAboutDependencies(
  dialog: Dialog,
  ids: readonly number[],
): Promise<readonly InferredDependency[]> {
  const missing = await missingDependencies(dialog.queue, ids);
  if (missing.length === 0) return [];
  dialog.pipes.print(`${missingText(missing)}\n`);
  return (await askLetter(dialog, 'Add? [y/N] ')) === 'y' ? missing : [];
}

/** The first letter of the answer. Ctrl-C and Ctrl-D quit. */
async function askLetter({ ask }: Dialog, question: string): Promise<string> {
  try {
    return (await ask(question)).trim().slice(0, 1).toLowerCase();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ABORT_ERR') return 'q';
    throw error;
  }
}

/** Returns the person's text while it has an error, so that nothing is lost; null once it is stored. */
async function editDraft(dialog: Dialog, task: Task, earlier: string | null): Promise<string | null> {
  const { editFromYaml, taskToYaml } = await import('../../project/definitions/task-yaml.ts');
  const name = `task-${task.id}.yaml`;
  let text = earlier;
  try {
    text = await editText(dialog, name, earlier ?? taskToYaml(task));
    await editTask(dialog.queue, task.id, editFromYaml(text, name));
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    dialog.pipes.print(`${visible(error.message)} Nothing was changed; edit it again.\n`);
    return text;
  }
}
