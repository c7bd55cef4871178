// `ralph init` beside traces of earlier sessions: a colleague's clone, or a lost queue? Only the person knows.
import { join } from 'node:path';
import { type Project, syncDefinitions } from '../../app/open-project.ts';
import {
  bringBackClone,
  type EarlierWork,
  earlierWorkText,
  findEarlierWork,
} from '../../app/sessions/earlier-work.ts';
import type { CommandContext } from '../../app/world.ts';
import { JOURNAL_FOLDER } from '../../project/journal/journal.ts';
import { beginNewQueue } from '../../queue/queue.ts';

/** `undecided`: the queue stays empty; no command fills it before a person has decided. */
type QueueDecision = {
  kind: 'in use' | 'new' | 'brought back' | 'undecided';
  isDecided: boolean;
  lines: readonly string[];
};

const decision = (kind: QueueDecision['kind'], ...lines: string[]): QueueDecision => ({
  kind,
  isDecided: true,
  lines,
});

export async function decideOnQueue(
  context: CommandContext,
  project: Project,
  { yes, newQueue }: { yes: boolean; newQueue: boolean },
): Promise<QueueDecision> {
  if (newQueue)
    return (await beginNewQueue(project.queue))
      ? decision('new', 'Started a new queue.')
      : decision('in use', 'The queue is in use already, so --new-queue changed nothing.');
  let line = '';
  const note = (sentence: string): void => {
    line = sentence;
  };
  if (await bringBackClone(context, project, note)) return decision('brought back', line);
  const earlier = await findEarlierWork(context, project);
  if (earlier === null) return decision('in use');
  const { ask } = context.terminal;
  if (yes || ask === null) {
    const line = `The queue is empty, but ${earlierWorkText(earlier, project)}`;
    return { kind: 'undecided', isDecided: false, lines: [line] };
  }
  return earlier.kind === 'journal' ? askForJournal(project, earlier, ask) : askForNew(project, earlier, ask);
}

type Ask = (question: string) => Promise<string>;

async function askForJournal(
  project: Project,
  { sessions }: Extract<EarlierWork, { kind: 'journal' }>,
  ask: Ask,
): Promise<QueueDecision> {
  const question = `.ralph/memory records earlier sessions (${sessions}) that this queue does not know.\nBring their tasks into the queue? n starts a new one. [Y/n] `;
  if (/^n/i.test((await ask(question)).trim())) {
    await beginNewQueue(project.queue);
    return decision('new');
  }
  // The definition files first, as in ralph import: the journal's sessions then belong to the tasks that files define.
  await syncDefinitions(project);
  const { importJournal } = await import('./import-journal.ts');
  const output = await importJournal(project.queue, join(project.root, JOURNAL_FOLDER), JOURNAL_FOLDER);
  return decision('brought back', output?.text ?? '');
}

async function askForNew(
  project: Project,
  { commit }: Extract<EarlierWork, { kind: 'commit' }>,
  ask: Ask,
): Promise<QueueDecision> {
  const question = `Commit ${commit.slice(0, 7)} is the work of a session that this queue does not know, and there is no journal to bring it back from.\nStart a new queue? [Y/n] `;
  if (!/^n/i.test((await ask(question)).trim())) {
    await beginNewQueue(project.queue);
    return decision('new');
  }
  const line = `The queue stays empty until you put a backup back as ${project.queue.store.path}, or type: ralph init --new-queue`;
  return { kind: 'undecided', isDecided: false, lines: [line] };
}
