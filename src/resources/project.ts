import { basename } from 'node:path';
import { line, list, optional, prose, under } from '../domain/text/markdown.ts';
import { readStateFiles } from '../project/state-files.ts';
import { allFeatures } from '../queue/tasks/features.ts';
import { listAllDisciplines } from '../queue/tasks/list.ts';
import { status } from '../queue/tasks/status.ts';
import type { ResourceFamily } from './resource.ts';

export const project: ResourceFamily = {
  name: 'project',
  title: 'Project',
  description: 'What this project is, its features and disciplines, and its notes',
  uri: 'ralph://project',
  read: async ({ queue, root, accepted }) => {
    const { title, description, counts } = await status(queue);
    const features = await allFeatures(queue);
    const disciplines = await listAllDisciplines(queue);
    const { notes, progress } = await readStateFiles(root, await accepted());
    const tasks = Object.entries(counts).filter(([, count]) => count > 0);
    return {
      text: `${under(
        `# ${line(title ?? basename(root))}`,
        optional(description),
        tasks.length === 0
          ? 'No tasks yet.'
          : `Tasks: ${tasks.map(([name, count]) => `${count} ${name}`).join(', ')}.`,
        features.length === 0
          ? null
          : `## Features\n\n${list(features.map(({ feature }) => `${feature.name}: ${feature.description ?? feature.display_name ?? ''}`))}`,
        disciplines.length === 0
          ? null
          : `## Disciplines\n\n${list(disciplines.map(({ name, display_name }) => (display_name === null ? name : `${name}: ${display_name}`)))}`,
        optional(notes, (text) => `## Notes\n\n${prose(text)}`),
        optional(progress, (text) => `## Progress\n\n${prose(text)}`),
      )}\n`,
    };
  },
  isChangedBy: ({ kind }) =>
    kind === 'project.saved' ||
    kind.startsWith('feature.') ||
    kind.startsWith('discipline.') ||
    kind.startsWith('task.'),
  filePatterns: async () => ['.ralph/CLAUDE.RALPH.md', '.ralph/progress.txt'],
};
