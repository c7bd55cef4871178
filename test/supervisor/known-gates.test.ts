import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted-agent.ts';

it('gates that judged a progress entry do not run again before the next session', async () => {
  const { project, config, git } = await scripted({
    1: [[shell('echo 1 > 1.txt'), done()]],
    2: [[shell('echo 2 > 2.txt'), done()]],
  });
  await config('gates: [{ name: test, command: "true" }]\nprogress_file: PROGRESS.md\n');
  writeFileSync(
    join(project.root, '.ralph/tasks.yaml'),
    'tasks: [{ id: 1, title: One, feature: a }, { id: 2, title: Two, depends_on: [1] }]\n',
  );
  writeFileSync(join(project.root, '.ralph/features.yaml'), 'features: [{ name: a }]\n');
  const { code, stdout } = await project.within('run');
  expect(code).toBe(0);
  expect(git('log', '--format=%s')).toContain('Record the progress of a');
  expect(stdout.match(/before starting, gates/g)).toHaveLength(1);
});
