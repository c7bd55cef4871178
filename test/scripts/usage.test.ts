import { expect, it } from 'vitest';
import { run } from '../support/ralph.ts';

it('a wrong flag of a script ends in one sentence that names the right ones', async () => {
  const ended = await run(process.execPath, ['--import', 'tsx', 'scripts/demo.ts', '--agents', 'claude'], {
    cwd: '.',
    env: { PATH: process.env['PATH'] },
  });
  expect(ended).toEqual({
    code: 2,
    stdout: '',
    stderr: "Unknown option '--agents'. Usage: npm run demo [-- --agent NAME]\n",
  });
});
