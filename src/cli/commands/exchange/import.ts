import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { type Project, sync, withLostQueue } from '../../../app/open-project.ts';
import { bringBackClone, findEarlierWork, requireNoEarlierWork } from '../../../app/sessions/earlier-work.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { type Backlog, SOURCES, type Source } from '../../../domain/exchange/backlog.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { didYouMean } from '../../../domain/text/did-you-mean.ts';
import { visible } from '../../../domain/text/text.ts';
import { requireNoWayOut } from '../../../files/own-file.ts';
import { readText } from '../../../files/read-text.ts';
import { exportedFilesIn, requireDefinedAgents } from '../../../project/definitions/definition-files.ts';
import { readConfig } from '../../../project/read-config.ts';
import { requireBacklogAgents } from '../../../project/require-agents.ts';
import { applyDefinitions } from '../../../queue/definitions/apply-definitions.ts';
import { importText as reportText } from '../../../text/import-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand, Misuse } from '../../command.ts';

const FORMATS = ['yaml', ...SOURCES] as const;

type Options = { as?: Source | 'yaml'; label?: string; wait?: true };

export const importCommand = defineCommand<[path: string], Options>({
  name: 'import',
  summary: "import tasks from YAML, another tool's file, or GitHub",
  group: 'Move in and out',
  args: [
    new Argument(
      '<path>',
      'a file, a folder of ralph export or of another tool, the journal .ralph/memory, or github:OWNER/REPO',
    ),
  ],
  options: [
    formatOption('format of the file, if its content does not tell', FORMATS),
    new Option('--label <label>', 'of GitHub: only issues with this label'),
    new Option('--wait', 'of GitHub: wait for a rate limit as long as it takes'),
  ],
  examples: [
    'ralph import prd.json',
    'ralph import TODO.md --as markdown',
    'ralph import .kiro/specs',
    'ralph import github:OWNER/REPO --label ready',
    'gh issue list --json number,title,body,state,labels > issues.json && ralph import issues.json',
    'ralph import ./exported',
    'ralph import .ralph/memory',
  ],
  run: (context, [path], { as, label, wait }) =>
    withLostQueue(context, async (project) => {
      await requirePerson(context, project, 'imports tasks');
      const full = resolve(context.cwd, path);
      if (path.startsWith('github:')) {
        if (as !== undefined) throw new Misuse('--as is for files; GitHub has a format of its own.');
        await requireJournalIfLost(context, project, full);
        await sync(project);
        return importIssues(context, project, path, { label: label ?? null, isPatient: wait === true });
      }
      if (label !== undefined || wait) throw new Misuse('--label and --wait are for github:OWNER/REPO.');
      const found = statSync(full, { throwIfNoEntry: false });
      if (found === undefined) throw new Refusal(`There is no file ${path}; give a file or a folder.`);
      requireNoWayOut(project.root, full);
      await requireJournalIfLost(context, project, full);
      await sync(project);
      if (found.isDirectory()) return importFolder(context, project, path, as);
      if (!found.isFile()) throw new Refusal(`${path} is not a file; give a file or a folder.`);
      const rebuilt =
        path.endsWith('.jsonl') && as === undefined ? await journalAt(project, full, path) : null;
      if (rebuilt !== null) return rebuilt;
      return importFile(context, project, path, as);
    }),
});

/** Everything is read before the first task is written, so an import that breaks off changes nothing. */
async function importIssues(
  context: CommandContext,
  project: Project,
  path: string,
  chosen: { label: string | null; isPatient: boolean },
): Promise<Output> {
  const { parseRepository, readGithubBacklog } = await import('../../../app/github.ts');
  const { rememberBoard } = await import('../../../queue/exchange/imported-boards.ts');
  const repository = parseRepository(path);
  const tell = (sentence: string): void => context.pipes.log(`ralph: ${visible(sentence)}\n`);
  const backlog = await readGithubBacklog(context, project, { repository, tell, ...chosen });
  const output = await importBacklogs(project, [backlog], repository, repository);
  if (backlog.board !== null) await rememberBoard(project.queue, backlog.board);
  return output;
}

/** A tasks.md with documents beside it belongs to them: it is read as the folder that it is in. */
async function importFile(
  context: CommandContext,
  project: Project,
  path: string,
  as?: Source | 'yaml',
): Promise<Output> {
  const full = resolve(context.cwd, path);
  if (basename(path) === 'tasks.md' && (as ?? 'markdown') === 'markdown') {
    const { readSpecFile } = await import('../../../project/exchange/import/folders/spec-folder.ts');
    const backlogs = await readSpecFile(project.root, full, path);
    if (backlogs !== null) return importBacklogs(project, backlogs, path);
  }
  return importText(context, project, { path, text: await readText(full, path), as });
}

/** The text of another tool, or definitions. */
async function importText(
  context: CommandContext,
  project: Project,
  { path, text, as }: { path: string; text: string | undefined; as: Source | 'yaml' | undefined },
): Promise<Output> {
  if (text?.includes('\0')) throw new Refusal(`${path} holds NUL bytes, so it is no text; save it as UTF-8.`);
  const { readBacklog, recognise } = await import('../../../project/exchange/import/index.ts');
  const format = as ?? recognise(text ?? '', path);
  if (format === 'yaml') return importDefinitions(context, project, path, [path]);
  return importBacklogs(project, [readBacklog(text ?? '', path, format)], path);
}

/** All of them were read before the first one is applied. */
async function importBacklogs(
  { queue, root }: Project,
  backlogs: readonly Backlog[],
  path: string,
  name = basename(path),
): Promise<Output> {
  const { importBacklog } = await import('../../../queue/exchange/import-backlog.ts');
  const { verify_feature, ...config } = await readConfig(root);
  for (const backlog of backlogs) requireBacklogAgents(backlog, config, path);
  const reports = [];
  for (const backlog of backlogs) {
    const report = await importBacklog(queue, backlog, name, verify_feature);
    reports.push({ format: backlog.source, ...report });
  }
  const [only] = reports;
  return {
    json: reports.length === 1 && only !== undefined ? only : { reports },
    text: reports.map((report) => reportText(report, path)).join('\n\n'),
  };
}

/** A backlog that `ralph init` found: a file, or the folder of another tool. */
export async function importFound(context: CommandContext, project: Project, path: string): Promise<Output> {
  const full = resolve(context.cwd, path);
  return statSync(full).isDirectory()
    ? importFolder(context, project, path)
    : importFile(context, project, path);
}

/** Into a lost queue the journal comes first: another file would take task numbers that the journal uses. */
async function requireJournalIfLost(context: CommandContext, project: Project, full: string): Promise<void> {
  const earlier = await findEarlierWork(context, project);
  if (earlier === null) return;
  const { readJournalAt } = await import('../../../project/journal/journal.ts');
  if ((await readJournalAt(full)) !== null) return;
  await bringBackClone(context, project, (sentence) => context.pipes.log(`ralph: ${visible(sentence)}\n`));
  await requireNoEarlierWork(context, project);
}

/** Suggests the closest format for an unknown word. */
export function formatOption(about: string, formats: readonly string[]): Option {
  return new Option('--as <format>', about).choices(formats).argParser((word: string) => {
    if (formats.includes(word)) return word;
    throw new InvalidArgumentError(`There are ${formats.join(', ')}${didYouMean(word, formats) || '.'}`);
  });
}

/** Null if the path holds no journal. */
async function journalAt({ queue }: Project, full: string, path: string): Promise<Output | null> {
  // Imported late: it needs zod, and few imports need it.
  const { importJournal } = await import('../../init/import-journal.ts');
  return importJournal(queue, full, path);
}

async function importFolder(
  context: CommandContext,
  project: Project,
  path: string,
  as?: Source | 'yaml',
): Promise<Output> {
  if (as !== 'yaml') {
    const { readBacklogsIn } = await import('../../../project/exchange/import/folders/index.ts');
    const { readSourceFolder } = await import('../../../project/exchange/import/folders/source-folder.ts');
    const backlogs = readBacklogsIn(
      await readSourceFolder(project.root, resolve(context.cwd, path), path),
      as,
    );
    if (backlogs !== null) return importBacklogs(project, backlogs, path);
    if (as !== undefined) throw new Refusal(`${path} is a folder; name the ${as} file in it.`);
  }
  const rebuilt = await journalAt(project, resolve(context.cwd, path), path);
  if (rebuilt !== null) return rebuilt;
  const files = exportedFilesIn(resolve(context.cwd, path)).map((name) => join(path, name));
  if (files.length === 0) throw new Refusal(`${path} holds nothing that Ralph can import; name a file.`);
  return importDefinitions(context, project, path, files);
}

async function importDefinitions(
  { cwd }: CommandContext,
  { queue, root }: Project,
  path: string,
  files: readonly string[],
): Promise<Output> {
  const { readDefinitions } = await import('../../../project/definitions/read-definitions.ts');
  const definitions = await readDefinitions(cwd, files);
  await requireDefinedAgents(root, definitions);
  const applied = await applyDefinitions(queue, definitions, 'import');
  const { added, updated, unchanged } = applied;
  return {
    json: { format: 'yaml', ...applied },
    text: `Imported ${oneLine(path)}: ${added} added, ${updated} changed, ${unchanged} unchanged.`,
  };
}
