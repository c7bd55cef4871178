import { expect, it } from 'vitest';
import { takeTaskLists } from '../../../src/project/exchange/import/markdown/task-lists.ts';

it.each([
  ['No list.\n\n- a\n- b', 'No list.\n\n- a\n- b', []],
  ['Why.\n\n- [ ] One\n- [x] Two', 'Why.', ['One', 'Two']],
  [
    '## Tasks\n\n- [ ] One\n  goes on\n  - [ ] Part\n\n## Notes\n\nText',
    '## Notes\n\nText',
    ['One goes on', 'Part'],
  ],
  ['## Tasks\n\nText\n\n* [ ] One', '## Tasks\n\nText', ['One']],
  ['```\n- [ ] code\n```\n1. [ ] One', '```\n- [ ] code\n```', ['One']],
  ['---\na\n---\n- [ ] One', '---\na\n---', ['One']],
])('the boxes of %j are criteria, and the rest is the description', (text, rest, criteria) => {
  expect(takeTaskLists(text)).toEqual({ text: rest, criteria });
});
