import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Argument } from 'commander';
import { Refusal } from '../domain/refusal.ts';
import { exportedFilesIn } from '../knowledge/definition-files.ts';
import { readJournalAt } from '../knowledge/journal.ts';
import { applyDefinitions } from '../queue/apply-definitions.ts';
import { defineCommand } from './command.ts';
import { importJournal } from './import-journal.ts';
import { withProject } from './project.ts';

export const importCommand = defineCommand<[path: string]>({
  name: 'import',
  summary: 'bring tasks, features and disciplines in from YAML',
  group: 'Move in and out',
  args: [
    new Argument('<path>', 'a YAML file, a folder that ralph export wrote, or the journal .ralph/memory'),
  ],
  examples: ['ralph import backlog.yaml', 'ralph import ./exported', 'ralph import .ralph/memory'],
  run: (context, [path]) =>
    withProject(context, async ({ queue }) => {
      const full = resolve(context.cwd, path);
      const found = statSync(full, { throwIfNoEntry: false });
      if (found === undefined) throw new Refusal(`There is no file ${path}; give a YAML file or a folder.`);
      const journal = found.isDirectory() ? await readJournalAt(full) : null;
      if (journal !== null) return importJournal(queue, path, journal);
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
