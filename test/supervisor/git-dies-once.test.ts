import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { findExecutable } from '../../src/host/processes/find-executable.ts';
import { initialised, runWithin } from '../support/ralph.ts';
import { tempDir } from '../support/temp.ts';

it('unfinished work is kept though git dies while Ralph saves it', async () => {
  const project = await initialised();
  const folder = tempDir();
  const path = process.env['PATH'] ?? '';
  const victim = join(folder, 'victim');
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh
case "$*" in *update-index*) if rm '${victim}' 2>/dev/null; then exit 128; fi ;; esac
exec '${findExecutable('git', path)}' "$@"
`,
    { mode: 0o755 },
  );
  const script = `cat >/dev/null; echo half >made.txt; touch '${victim}'; echo '<TASK_BLOCKED reason="which colour?">'`;
  const agents = { asking: { command: ['sh', '-c', script], protocol: 'sigils' } };
  writeFileSync(join(project.root, '.ralph/config.yaml'), JSON.stringify({ agent: 'asking', agents }));
  const options = {
    cwd: project.root,
    env: { HOME: project.home, PATH: `${folder}${delimiter}${path}` },
  };
  await runWithin(['trust', '--yes'], options);
  await runWithin(['add', 'One'], options);
  await runWithin(['run', '--once'], options);
  const show = ['show', 'refs/ralph/task-1:made.txt'];
  expect(execFileSync('git', show, { cwd: project.root, encoding: 'utf8' })).toBe('half\n');
});
