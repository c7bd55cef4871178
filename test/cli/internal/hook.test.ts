import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { World } from '../../../src/app/world.ts';
import { answerHook } from '../../../src/cli/internal/hook.ts';
import { tempDir } from '../../support/temp.ts';

async function exitCodeFor(tool_input: object): Promise<number> {
  const root = tempDir();
  mkdirSync(join(root, '.ralph'));
  const pipes = { stdin: Readable.from([JSON.stringify({ tool_input })]) } as unknown as World['pipes'];
  const env = { RALPH_PROJECT: root, RALPH_SESSION_ID: 's' };
  return (await answerHook('guard', { env, pipes })).exitCode;
}

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
])('the guard refuses the shell %j', async (command) => expect(await exitCodeFor({ command })).toBe(2));

it('the guard lets no tool write a specification in .ralph', async () => {
  expect(await exitCodeFor({ file_path: '.ralph/specs/api.md' })).toBe(2);
});
