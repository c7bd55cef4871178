import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Argument } from 'commander';
import { Refusal } from '../domain/refusal.ts';
import { exportedFilesIn } from '../knowledge/definition-files.ts';
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
      const files = found.isDirectory() ? exportedFilesIn(full).map((name) => join(path, name)) : [path];
      if (files.length === 0)
        throw new Refusal(`${path} holds nothing that ralph export writes; name a file.`);
      const { readDefinitions } = await import('../knowledge/read-definitions.ts');
      const applied = await applyDefinitions(queue, await readDefinitions(context.cwd, files), 'import');
      const { added, updated, unchanged } = applied;
      return {
        json: applied,
        text: `Imported ${path}: ${added} added, ${updated} changed, ${unchanged} as they were.`,
      };
    }),
});
