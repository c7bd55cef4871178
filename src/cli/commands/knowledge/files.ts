import { Argument } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { localTime } from '../../../domain/text/amounts.ts';
import {
  type FeatureFile,
  listAddedFiles,
  removedFileMessage,
  removeFeatureFile,
} from '../../../queue/tasks/context-files.ts';
import { oneLine, shortId } from '../../../text/terminal/style.ts';
import { table } from '../../../text/terminal/table.ts';
import { defineCommand, Misuse } from '../../command.ts';

export const files = defineCommand<
  [action: string | undefined, feature: string | undefined, path: string | undefined]
>({
  name: 'files',
  summary: 'list the files that agents added to the prompts of a feature, or remove one',
  group: 'Decide',
  args: [
    new Argument('[action]', 'what to do').choices(['list', 'remove']).default('list'),
    new Argument('[feature]', 'name of the feature'),
    new Argument('[path]', 'for remove: the file, as the list shows it'),
  ],
  examples: ['ralph files', 'ralph files list auth', 'ralph files remove auth src/auth/session.ts'],
  run: (context, [action, feature, path]) =>
    withProject(context, async (project) => {
      const { queue } = project;
      if (action !== 'remove') {
        if (path !== undefined) throw new Misuse('ralph files list takes one feature.');
        const added = await listAddedFiles(queue, feature);
        return { json: added, text: filesText(added, context) };
      }
      await requirePerson(context, project, 'removes a file of a feature');
      if (feature === undefined || path === undefined)
        throw new Misuse('Name the feature and the file: ralph files remove FEATURE PATH.');
      await removeFeatureFile(queue, feature, path);
      return {
        json: { feature, path },
        text: oneLine(removedFileMessage(feature, path)),
      };
    }),
});

function filesText(added: readonly FeatureFile[], { terminal }: Pick<CommandContext, 'terminal'>): string {
  if (added.length === 0) return 'Agents have added no file to a feature.';
  const cells = (cell: (file: FeatureFile) => string): string[] => added.map(cell);
  return table(
    [
      { title: 'FEATURE', flexible: true, cells: cells(({ feature }) => oneLine(feature)) },
      { title: 'FILE', flexible: true, cells: cells(({ path }) => oneLine(path)) },
      { title: 'TASK', cells: cells(({ task_id }) => `#${task_id}`) },
      { title: 'SESSION', cells: cells(({ session_id }) => shortId(session_id)) },
      { title: 'ADDED', cells: cells((file) => localTime(file.added)) },
    ],
    terminal,
  );
}
