import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takePersonsCommits } from '../../src/supervisor/ground/slot-merge.ts';
import { slotRun } from '../support/slot-run.ts';
import { slotRepository } from '../support/slots.ts';

it('after a failure to bring the checkout forward, a later landing does so', async () => {
  const run = await slotRun(await slotRepository());
  run.followBeside(async () => {
    throw new Error('EACCES');
  });
  await expect(run.followed()).rejects.toThrow('EACCES');
  let hasFollowed = false;
  run.followBeside(async () => {
    hasFollowed = true;
  });
  await run.followed();
  expect(hasFollowed).toBe(true);
});

it("of two processes that find a person's commits beside landed work, only one runs gates to take them in", async () => {
  const repository = await slotRepository({ commits: ['landed', 'mine'] });
  const { git, folder } = repository;
  const [first = '', landed = ''] = ['HEAD~2', 'HEAD~1'].map((name) => git('rev-parse', name));
  git('update-ref', 'refs/heads/ralph/main', landed);
  git('update-ref', 'refs/ralph/followed/main', first);
  git('rebase', '-q', '--onto', first, landed);
  const log = join(folder, 'gates.log');
  const gates = [
    {
      ...{ name: 'test', command: `echo gate >> ${log}`, required: true, expect: null },
      ...{ timeout_seconds: 60, max_output_mb: 1, flaky: 'fail' as const },
    },
  ];
  const runs = [await slotRun(repository, { gates }), await slotRun(repository, { gates })];
  await Promise.all(runs.map(takePersonsCommits));
  expect(readFileSync(log, 'utf8')).toBe('gate\n');
  expect(git('log', '-1', '--format=%s', 'ralph/main')).toBe("Merge branch 'main' into ralph/main");
});
