import { expect, it } from 'vitest';
import { progressEntry } from '../../../src/domain/tasks/feature.ts';

it('the entry of a finished feature shows control characters, and cuts a summary that is too long', () => {
  const entry = progressEntry({
    name: 'auth',
    title: 'Sign in',
    tasks: [
      { id: 1, title: 'Log in', summary: 'Red \x1b[31m\nand more' },
      { id: 2, title: 'Log out', summary: 'x'.repeat(10_000) },
    ],
    sessions: [],
    last: { id: 's', base_commit: null },
    at: 0,
  });
  expect(entry).toMatch(
    /^## Sign in \(1970-01-01\)\n\n- #1 Log in: Red ␛\[31m and more\n- #2 Log out: x+ …\n$/,
  );
  expect(entry.length).toBeLessThan(500);
});
