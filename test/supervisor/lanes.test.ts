import { describe, expect, it } from 'vitest';
import { replay } from '../support/replay.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

const GATE = 'test "$(ls *.part 2>/dev/null | wc -l)" -le 3';

/** Three tasks, each with a file of its own, on a branch with a commit. */
async function threeTasks(first = shell('true')): Promise<ScriptedProject & { branch: string }> {
  const scene = await scripted(
    Object.fromEntries([1, 2, 3].map((id) => [id, [[first, shell(`echo ${id} > ${id}.part`), done()]]])),
    `gates: [{ name: parts, command: '${GATE}' }]\n`,
  );
  const { git, project } = scene;
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
  git('add', '-A');
  git('commit', '-qm', 'First');
  for (const title of ['One', 'Two', 'Three']) await project.json('add', title);
  return { ...scene, branch: git('branch', '--show-current').trim() };
}

describe('sessions that work at the same time', () => {
  it('three sessions work beside each other, and each commit that they land is green by itself', async () => {
    const meets = `touch "$HOME/at-work-$$"; until [ "$(ls "$HOME" | grep -c at-work)" -ge 3 ]; do sleep 0.05; done`;
    const { project, branch } = await threeTasks(shell(meets));
    const ran = await project.within('run', '--jobs', '3');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const { commits, red } = replay(project.root, GATE, `ralph/${branch}`);
    expect([commits.length, red]).toEqual([3, []]);
  });

  it('no more sessions begin than a person allowed', async () => {
    const { project, branch } = await threeTasks();
    await project.within('run', '--jobs', '3', '--max-sessions', '2');
    expect(replay(project.root, GATE, `ralph/${branch}`).commits).toHaveLength(2);
  });
});
