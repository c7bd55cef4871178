import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { Refusal } from '../domain/refusal.ts';
import { writeFileWhole } from '../host/write-file.ts';
import { definitionFiles } from '../knowledge/definition-files.ts';
import { exportDefinitions } from '../queue/export-definitions.ts';
import { defineCommand } from './command.ts';
import { withProject } from './project.ts';

export const exportCommand = defineCommand<[dir: string | undefined], { force?: boolean }>({
  name: 'export',
  summary: 'write everything back as YAML',
  group: 'Move in and out',
  args: [new Argument('[dir]', 'where to; .ralph of the project if not given')],
  options: [new Option('--force', 'overwrite files although they hold comments')],
  examples: ['ralph export', 'ralph export ./exported'],
  run: (context, [dir], { force = false }) =>
    withProject(context, async ({ root, queue }) => {
      if (dir === '') throw new Refusal('The folder is empty; name one, or leave it out for .ralph.');
      const folder = dir === undefined ? join(root, '.ralph') : resolve(context.cwd, dir);
      const { formatDefinitions } = await import('../knowledge/format-definitions.ts');
      const files = formatDefinitions(await exportDefinitions(queue));
      if (dir === undefined) requireNoOlderLayout(root);
      if (!force) for (const name of files.keys()) await requireNoComments(join(folder, name));
      for (const [name, text] of files) await writeFileWhole(join(folder, name), text);
      const written = [...files.keys()].map((name) => join(folder, name));
      return {
        json: { files: written },
        text: written.length === 0 ? 'There is nothing to export yet.' : written.join('\n'),
      };
    }),
});

/** Beside `.ralph/db/` everything would be defined twice. */
function requireNoOlderLayout(root: string): void {
  const [older] = definitionFiles(root).filter((file) => file.startsWith(join('.ralph', 'db')));
  if (older === undefined) return;
  throw new Refusal(
    `${older} defines these already; name another folder, or remove .ralph/db after exporting there.`,
  );
}

/** What people wrote for each other beside the data would be lost. */
async function requireNoComments(path: string): Promise<void> {
  const { hasComments } = await import('../knowledge/yaml.ts');
  if (!hasComments(await readFile(path, 'utf8').catch(() => ''))) return;
  throw new Refusal(`${path} has comments that an export would lose; name another folder, or say --force.`);
}
