import { expect, it } from 'vitest';
import { commitSubject, unknownPlaceholders } from '../../../src/domain/sessions/commit-message.ts';

const TASK = { title: 'Retry failed {id} webhooks', id: 7, feature: 'billing', tags: [] as string[] };

it.each([
  ['{title}', TASK, 'Retry failed {id} webhooks'],
  ['{type}({feature}): {title} (#{id})', TASK, 'feat(billing): Retry failed {id} webhooks (#7)'],
  [
    '{type}({feature}): {title}',
    { ...TASK, feature: null, tags: ['bug'] },
    'fix: Retry failed {id} webhooks',
  ],
  ['[{id}] {title}', { ...TASK, id: null }, 'Retry failed {id} webhooks'],
  ['{type}: {title}', { ...TASK, title: 'Document the\n\nAPI' }, 'docs: Document the API'],
])('the template %s is filled with the fields of the task', (template, task, subject) => {
  expect(commitSubject(template, task)).toBe(subject);
});

it('unknown placeholders of a template are listed', () => {
  expect(unknownPlaceholders('{type}: {titel} {id}')).toEqual(['{titel}']);
});
