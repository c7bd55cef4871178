import type { TaskMention } from '../../domain/context.ts';
import { under } from '../../domain/text/markdown.ts';
import { truncate } from '../../domain/text/text.ts';
import { taskTitle } from '../quoted.ts';
import type { Section } from '../section.ts';

export const featureState: Section = {
  name: 'feature_state',
  question: 'What else is done or planned in this feature?',
  source: 'tasks of the same feature',
  render: ({ siblings, more_siblings }) =>
    siblings.length === 0
      ? null
      : under(
          '## Other tasks of the feature',
          'For orientation only: they are not yours to do.',
          [...siblings.map(mention), ...(more_siblings > 0 ? [`- and ${more_siblings} more`] : [])].join(
            '\n',
          ),
        ),
};

/** Enough to recognise a task by; its own prompt has the rest. */
const MAX_TITLE = 80;

function mention({ id, status, title, provenance }: TaskMention): string {
  const shown = taskTitle({ title: truncate(title, MAX_TITLE), provenance });
  return status === 'done' ? `- [x] #${id} ${shown}` : `- [ ] #${id} ${shown} (${status})`;
}
