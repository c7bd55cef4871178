import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Argument } from 'commander';
import { Refusal } from '../domain/refusal.ts';
import { definitionFilesIn } from '../knowledge/definition-files.ts';
import { applyDefinitions } from '../queue/apply-definitions.ts';
import { defineCommand } from './command.ts';
import { withProject } from './project.ts';

export const importCommand = defineCommand<[path: string]>({
  name: 'import',
  summary: 'bring tasks, features and disciplines in from YAML',
  group: 'Move in and out',
  args: [new Argument('<path>', 'a YAML file, or a folder that ralph export wrote')],
  examples: ['ralph import backlog.yaml', 'ralph import ./exported'],
  run: (context, [path]) =>
    withProject(context, async ({ queue }) => {
      const full = resolve(context.cwd, path);
      const found = statSync(full, { throwIfNoEntry: false });
      if (found === undefined) throw new Refusal(`There is no file ${path}; give a YAML file or a folder.`);
      const folder = found.isDirectory() ? full : dirname(full);
      const files = found.isDirectory() ? definitionFilesIn(full) : [basename(full)];
      if (files.length === 0)
        throw new Refusal(`${path} holds no YAML file; give one that ralph export wrote.`);
      const { readDefinitions } = await import('../knowledge/read-definitions.ts');
      const applied = await applyDefinitions(queue, await readDefinitions(folder, files), 'import');
      const { added, updated, unchanged } = applied;
      return {
        json: applied,
        text: `Imported ${path}: ${added} added, ${updated} changed, ${unchanged} as they were.`,
      };
    }),
});
