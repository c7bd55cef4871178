// A run whose work meets that of other machines on a git remote.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findExecutable } from '../../src/host/processes/find-executable.ts';
import { runWithin } from '../support/ralph.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';
import { tempDir } from '../support/temp.ts';

const GATE = 'gates: [{ name: test, command: "true" }]\n';
const LAND = 'land: { branch: main, remote: origin }\n';

/** Goes on when the remote has this file in the unfinished work of task 1, and notes that it has. */
const awaitsPush = (file: string): string =>
  `for i in $(seq 1200); do git -C ~/origin.git cat-file -e refs/ralph/task-1:${file} 2>/dev/null && echo ${file} >> ~/pushed && break; sleep 0.1; done`;

type Shared = ScriptedProject & { bare: string; at(...args: string[]): string };

async function shared(attempts: Parameters<typeof scripted>[0]): Promise<Shared> {
  const made = await scripted(attempts);
  made.git('branch', '-M', 'main');
  const bare = join(made.project.home, 'origin.git');
  made.git('clone', '-q', '--bare', made.project.root, bare);
  made.git('remote', 'add', 'origin', bare);
  await made.config(`${GATE}${LAND}`);
  const at = (...args: string[]): string => made.git('-C', bare, ...args).trim();
  return { ...made, bare, at };
}

describe('a run with a remote', () => {
  it('a run with a remote pushes what it proved, leaves no ref of settled work there, and starts from what others pushed', async () => {
    const { project, git, at } = await shared({
      1: [[shell('echo work > 1.txt'), done()]],
      2: [[shell('test -e other.txt && echo more > 2.txt'), done()]],
    });
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(at('show', 'main:1.txt')).toBe('work');
    expect(git('rev-parse', 'HEAD').trim()).toBe(at('rev-parse', 'main'));
    expect(at('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    // Another machine has landed meanwhile.
    const other = join(project.home, 'other');
    execFileSync('git', ['clone', '-q', join(project.home, 'origin.git'), other], { stdio: 'ignore' });
    execFileSync(
      'sh',
      [
        '-c',
        'echo o > other.txt && git add . && git -c user.name=O -c user.email=o@e commit -qm O && git push -q',
      ],
      { cwd: other, stdio: 'ignore' },
    );
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(at('ls-tree', '--name-only', 'main').split('\n')).toEqual(
      expect.arrayContaining(['1.txt', '2.txt', 'other.txt']),
    );
    const { text } = { text: (await project.within('trust')).stdout };
    expect(text).toContain('work is pushed to main of');
  });

  it('a run with a remote pushes the unfinished work of a session while its agent works, and removes it when the work has landed', async () => {
    const { project, config, at } = await shared({
      1: [
        [shell(`echo one > 1.txt; ${awaitsPush('1.txt')}; echo two > 2.txt; ${awaitsPush('2.txt')}`), done()],
      ],
    });
    await config(`${GATE}${LAND}fleet: { wip_minutes: 0.002 }\n`);
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(readFileSync(join(project.home, 'pushed'), 'utf8')).toBe('1.txt\n2.txt\n');
    expect(at('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('a git that dies while Ralph looks for changed rules accuses no session, and costs no try', async () => {
    const { project } = await shared({ 1: [[shell('echo work > 1.txt; touch ~/victim'), done()]] });
    await project.json('add', 'One');
    const [folder, path] = [tempDir(), process.env['PATH'] ?? ''];
    const dies = `case "$*" in *'^remote'*) if rm '${project.home}/victim' 2>/dev/null; then kill -9 $$; fi ;; esac`;
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${dies}\nexec '${findExecutable('git', path)}' "$@"\n`, {
      mode: 0o755,
    });
    const env = { HOME: project.home, PATH: `${folder}${delimiter}${path}` };
    const { stdout } = await runWithin(['run', '--max-sessions', '1'], { cwd: project.root, env });
    expect(existsSync(join(project.home, 'victim'))).toBe(false);
    expect(stdout).not.toContain('changed the rules');
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('a run with a remote does not begin without the remote, and says why', async () => {
    const { project, bare } = await shared({ 1: [[shell('echo work > 1.txt'), done()]] });
    await project.json('add', 'One');
    renameSync(bare, `${bare}.away`);
    const refused = await project.within('run');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('leads to no repository') });
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', sessions: [] });
    renameSync(`${bare}.away`, bare);
    expect(await project.within('run')).toMatchObject({ code: 0 });
  });
});
