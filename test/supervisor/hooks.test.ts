import { expect, it } from 'vitest';
import { createHooks, guard, VERB_REMINDER } from '../../src/supervisor/hooks.ts';

const STATE = '/home/me/shop/.git/ralph';

const exitCodeFor = async (tool_input: object): Promise<number> =>
  guard(JSON.stringify({ tool_input }), [STATE, '/run/user/1/ralph/s'])?.exitCode ?? 0;

it.each([
  'cat .ralph/specs/api.md',
  'ls -la ./.ralph/specs; head -50 .ralph/specs/api.md | grep -n "limit"',
  'grep -rn "rate limit" .ralph/specs src 2>/dev/null | head -5',
  "sed -n '1,80p' '.ralph/specs/api.md' && wc -l .ralph/specs/*.md",
  'find .ralph/specs -name "*.md"',
  'npm test',
])('the guard lets the shell run %j', async (command) => expect(await exitCodeFor({ command })).toBe(0));

it.each([
  'cat .ralph/config.yaml',
  'cat .ralph/specs/../config.yaml',
  'cat .ralph/specs/api.md .ralph/tasks.yaml',
  'cat .ralph/specs.old',
  'rm -rf .ralph/specs',
  'cat x > .ralph/specs/api.md',
  'echo x | tee .ralph/specs/api.md',
  "sed -i 's/a/b/' .ralph/specs/api.md",
  "sed -n -i '1p' .ralph/specs/api.md",
  'find .ralph/specs -name "*.md" -delete',
  'cat $(rm -rf .ralph/specs)',
  'cat .ralph/specs/a.md & mv .ralph/specs /tmp',
  // The folder would stay the shell's, and later commands would not name it.
  'cd .ralph/specs',
  'git clean -fdx',
  `sqlite3 ${STATE}/ralph.db`,
  // What its own client was started with.
  'echo {} > /run/user/1/ralph/s/settings.json',
])('the guard refuses the shell %j', async (command) => expect(await exitCodeFor({ command })).toBe(2));

it('the guard lets no tool write a specification in .ralph', async () => {
  expect(await exitCodeFor({ file_path: '.ralph/specs/api.md' })).toBe(2);
});

const RULES = { offLimits: [STATE], reminder: null, takeWarning: () => null };

it('the guard tells an agent once that it repeats itself, and then lets its steps through', async () => {
  const warnings = ['This step has failed 3 times.\n'];
  const ask = createHooks({ ...RULES, takeWarning: () => warnings.pop() ?? null });
  const step = '{"tool_input":{"command":"npm test"}}';
  expect(await ask('guard', step)).toEqual({ exitCode: 2, text: 'This step has failed 3 times.\n' });
  expect(await ask('guard', step)).toEqual({ exitCode: 0, text: '' });
});

it('an agent that ends its turn without a closing verb is reminded of it, twice', async () => {
  let isReported = false;
  const reminder = { isReported: async () => isReported, text: VERB_REMINDER };
  const ask = createHooks({ ...RULES, reminder });
  expect(await ask('stop', '{}')).toEqual({ exitCode: 2, text: VERB_REMINDER });
  isReported = true;
  expect(await ask('stop', '{}')).toMatchObject({ exitCode: 0 });
  isReported = false;
  const codes = [await ask('stop', ''), await ask('stop', ''), await ask('another', '')];
  expect(codes.map(({ exitCode }) => exitCode)).toEqual([2, 0, 0]);
});
