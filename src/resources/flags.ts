import { type Flag, flagText } from '../domain/tasks/flag.ts';
import { quotedSpan, under } from '../domain/text/markdown.ts';
import { status } from '../queue/tasks/status.ts';
import type { ResourceFamily } from './resource.ts';

export const flags: ResourceFamily = {
  name: 'flags',
  title: 'Open flags',
  description: 'Problems and suggestions of sessions that a person has not closed, those that block first',
  uri: 'ralph://flags',
  read: async ({ queue }) => {
    const { flags: open, more_flags } = await status(queue);
    const more = more_flags > 0 ? [`- and ${more_flags} more`] : [];
    const lines = open.length === 0 ? ['There are none.'] : [...open.map(flagLine), ...more];
    return { text: `${under('# Open flags', lines.join('\n'))}\n` };
  },
  isChangedBy: ({ kind }) => kind.startsWith('flag.'),
};

const flagLine = (flag: Flag): string =>
  `- Flag ${flag.id} of task #${flag.task_id}, ${flag.severity}, ${quotedSpan(flagText(flag))}`;
