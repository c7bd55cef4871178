// `ralph init` beside a backlog of another tool: offers to bring it in, and to keep its file equal to the queue.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext } from '../../app/world.ts';
import { plural } from '../../domain/text/text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { backlogText, type FoundBacklog, findBacklogs } from '../../project/init/find-backlogs.ts';
import { CONFIG_FILE } from '../../project/read-config.ts';
import { countTasks } from '../../queue/tasks/status.ts';

type Offer = { found: readonly FoundBacklog[]; lines: readonly string[] };

export const NO_BACKLOGS: Offer = { found: [], lines: [] };

/** Only for an empty queue. `isNewConfig`: init has just written the configuration, so it may add a line to it. */
export async function offerBacklogs(
  context: CommandContext,
  project: Project,
  { yes, isNewConfig }: { yes: boolean; isNewConfig: boolean },
): Promise<Offer> {
  if ((await countTasks(project.queue)) > 0) return NO_BACKLOGS;
  const found = await findBacklogs(project.root);
  const ask = yes ? null : context.terminal.ask;
  const lines: string[] = [];
  for (const backlog of found) {
    const isImported = ask !== null && backlog.tasks !== null && (await wants(ask, importQuestion(backlog)));
    if (isImported) {
      // Imported late: few repositories have such a file.
      const { importFound } = await import('../commands/exchange/import.ts');
      lines.push((await importFound(context, project, backlog.path)).text);
    } else lines.push(`Found: ${backlogText(backlog)}`);
    if (!backlog.canMirror) continue;
    if (isImported && isNewConfig && (await wants(ask, mirrorQuestion(backlog)))) {
      await setMirror(project.root, backlog.path);
      lines.push(`${backlog.path} follows the queue from now on.`);
    } else lines.push(`  To let the file follow the queue, add to ${CONFIG_FILE}: mirror: ${backlog.path}`);
  }
  return { found, lines };
}

type Ask = (question: string) => Promise<string>;

const wants = async (ask: Ask, question: string): Promise<boolean> =>
  !/^n/i.test((await ask(question)).trim());

const importQuestion = ({ path, tasks }: FoundBacklog): string =>
  `${path} has ${plural(tasks ?? 0, 'task')}. Import ${tasks === 1 ? 'it' : 'them'}? [Y/n] `;

const mirrorQuestion = ({ path }: FoundBacklog): string =>
  `Let ${path} follow the queue? Ralph then writes it after every change. [Y/n] `;

async function setMirror(root: string, path: string): Promise<void> {
  const config = join(root, CONFIG_FILE);
  const text = await readFile(config, 'utf8');
  await writeFileWhole(
    config,
    `${text}\n# Ralph writes this file after every change, and reads your edits of it.\nmirror: ${path}\n`,
  );
}
