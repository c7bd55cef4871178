import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { type Project, withProject } from '../../../app/open-project.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import type { BacklogFormat } from '../../../domain/exchange/backlog.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { requireNoWayOut } from '../../../files/own-file.ts';
import { writeFileWhole } from '../../../files/write-file.ts';
import { definitionFiles } from '../../../project/definitions/definition-files.ts';
import { exportDefinitions } from '../../../queue/definitions/export-definitions.ts';
import { defineCommand } from '../../command.ts';
import { formatOption } from './import.ts';

const FORMATS = ['yaml', 'implementation', 'markdown'] as const;

type ExportOptions = { as?: (typeof FORMATS)[number]; force?: boolean };

export const exportCommand = defineCommand<[target: string | undefined], ExportOptions>({
  name: 'export',
  summary: 'write everything as YAML, or the tasks as implementation.json or Markdown',
  group: 'Move in and out',
  args: [
    new Argument(
      '[target]',
      'folder for YAML (default .ralph), or file for the other formats (default: print)',
    ),
  ],
  options: [
    formatOption('what to write; by default YAML', FORMATS),
    new Option('--force', 'overwrite files even if they hold what people wrote, such as comments'),
  ],
  examples: ['ralph export', 'ralph export ./exported', 'ralph export --as markdown PLAN.md'],
  run: (context, [target], { as = 'yaml', force = false }) =>
    withProject(context, async (project) => {
      if (target === '') throw new Refusal('The target is empty; name one, or leave it out.');
      if (as === 'yaml') return exportYaml(context, project, target, force);
      const form = await loadFormat(as);
      const { exportBacklog } = await import('../../../queue/exchange/export-backlog.ts');
      const text = await exportBacklog(project.queue, form);
      if (target === undefined) return { json: { format: as, text }, text: text.trimEnd() };
      const file = resolve(context.cwd, target);
      requireNoWayOut(project.root, file);
      if (!force) await requireOwn(file, target, form);
      await writeFileWhole(file, text);
      return { json: { files: [file] }, text: file };
    }),
});

async function loadFormat(format: 'implementation' | 'markdown'): Promise<BacklogFormat> {
  switch (format) {
    case 'implementation':
      return (await import('../../../project/exchange/export/implementation.ts')).implementationFormat;
    case 'markdown':
      return (await import('../../../project/exchange/export/markdown.ts')).markdownFormat;
  }
}

/** Ralph does not replace a file that a person keeps by hand. */
async function requireOwn(path: string, label: string, { source }: BacklogFormat): Promise<void> {
  const mark = source === 'markdown' ? '<!-- ralph:' : '"updatedBy": "ralph"';
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text === '' || text.includes(mark)) return;
  throw new Refusal(
    `${label} exists, and Ralph did not write it; name another file, import it first, or say --force.`,
  );
}

async function exportYaml(
  context: CommandContext,
  { root, queue }: Project,
  dir: string | undefined,
  force: boolean,
): Promise<Output> {
  const folder = dir === undefined ? join(root, '.ralph') : resolve(context.cwd, dir);
  const { formatDefinitions } = await import('../../../project/definitions/format-definitions.ts');
  const files = formatDefinitions(await exportDefinitions(queue));
  if (dir === undefined) requireNoOlderLayout(root);
  const { keepComments } = await import('../../../project/definitions/rewrite-yaml.ts');
  const texts = new Map<string, string>();
  for (const [name, text] of files) {
    const path = join(folder, name);
    const current = force ? '' : await readFile(path, 'utf8').catch(() => '');
    texts.set(path, keepComments(current, text, path));
  }
  for (const [path, text] of texts) await writeFileWhole(path, text);
  const written = [...texts.keys()];
  return {
    json: { files: written },
    text: written.length === 0 ? 'There is nothing to export yet.' : written.join('\n'),
  };
}

/** Beside the older `.ralph/db/` everything would be defined twice. */
function requireNoOlderLayout(root: string): void {
  const [older] = definitionFiles(root).filter((file) => file.startsWith(join('.ralph', 'db')));
  if (older === undefined) return;
  throw new Refusal(
    `${older} defines these already; name another folder, or remove .ralph/db after exporting there.`,
  );
}
