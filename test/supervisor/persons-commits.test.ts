// Commits that a person makes beside landed work get onto the trunk, also by a run that lands nothing.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

const AS_PERSON = '-c user.name=P -c user.email=p@example.com';

type Waiting = Omit<ScriptedProject, 'write'> & {
  write(name: string, text: string): void;
  script: ScriptedProject['write'];
  log: string;
};

/** Task 1 has landed, and waits because the checkout has a file of its own in the way. */
async function waiting(): Promise<Waiting> {
  const made = await scripted({ 1: [[shell('echo work > 1.txt'), done()]] });
  made.git('branch', '-M', 'main');
  const log = join(made.project.home, 'gates.log');
  const write = (name: string, text: string): void => writeFileSync(join(made.project.root, name), text);
  await made.config(`gates: [{ name: test, command: "echo gate >> ${log}; test ! -e red.txt" }]\n`);
  write('1.txt', 'mine\n');
  await made.project.json('add', 'One');
  expect(await made.project.within('run')).toMatchObject({ code: 0 });
  rmSync(log, { force: true });
  return { ...made, write, script: made.write, log };
}

const commit = ({ git }: Pick<ScriptedProject, 'git'>, name: string): void => {
  git('add', name);
  git(...AS_PERSON.split(' '), 'commit', '-qm', `Person ${name}`);
};

describe('a run that lands nothing', () => {
  it('a run that lands nothing merges the commits of a person with landed work, gates that once, and brings the branch forward', async () => {
    const waits = await waiting();
    const { project, git, write, log } = waits;
    write('person.txt', 'person\n');
    commit(waits, 'person.txt');
    rmSync(join(project.root, '1.txt'));
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(git('log', '-1', '--format=%s', 'main').trim()).toBe("Merge branch 'main' into ralph/main");
    expect(readFileSync(join(project.root, '1.txt'), 'utf8')).toBe('work\n');
    expect(readFileSync(log, 'utf8')).toBe('gate\n');
    expect(git('rev-parse', 'main')).toBe(git('rev-parse', 'ralph/main'));
    await project.within('run');
    expect(readFileSync(log, 'utf8')).toBe('gate\n');
  });

  it('a run that lands nothing stops before it spends anything if they conflict or are red together, and says what to do', async () => {
    const waits = await waiting();
    const { project, git, write } = waits;
    await project.json('add', 'Two');
    commit(waits, '1.txt');
    const conflict = await project.within('run');
    expect(conflict.code).not.toBe(0);
    expect(`${conflict.stdout}${conflict.stderr}`).toMatch(
      /conflict with landed work in 1\.txt.*git merge ralph\/main/s,
    );
    git('reset', '-q', '--hard', 'HEAD^');
    write('red.txt', 'red\n');
    commit(waits, 'red.txt');
    const red = await project.within('run');
    expect(`${red.stdout}${red.stderr}`).toMatch(/fail the gate test together/);
    expect(await project.json('show', '2')).toMatchObject({ status: 'pending', sessions: [] });
    git('reset', '-q', '--hard', 'HEAD^');
    expect(existsSync(join(project.root, 'red.txt'))).toBe(false);
  });
});

it('commits that a person makes while the last work lands are on the trunk when the run ends', async () => {
  const { project, config, git } = await scripted({ 1: [[shell('echo work > 1.txt'), done()]] });
  git('branch', '-M', 'main');
  const { root, home } = project;
  // The person commits while the gates judge the work: too late for the landing to take that in.
  const act = `test -e 1.txt && test ! -e ${home}/acted && touch ${home}/acted && cd ${root} && echo p > p.txt && git add p.txt && git ${AS_PERSON} commit -qm Late; true`;
  await config(`gates: [{ name: test, command: ${JSON.stringify(act)} }]\n`);
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(git('rev-parse', 'main')).toBe(git('rev-parse', 'ralph/main'));
  expect(git('ls-tree', '--name-only', 'main').split('\n')).toEqual(
    expect.arrayContaining(['1.txt', 'p.txt']),
  );
});

/** A person's amend in the middle of gates; once. */
const amendOnce = ({ root, home }: { root: string; home: string }, when: string, message: string): string =>
  `test -e ${when} && test ! -e ${home}/amended && touch ${home}/amended && cd ${root} && git ${AS_PERSON} commit -q --amend -m ${message}; true`;

const subjects = ({ git }: Pick<ScriptedProject, 'git'>): string[] =>
  git('log', '--format=%s', 'main').trim().split('\n').sort();

it('a commit that a person amends while gates judge its merge is on the trunk once', async () => {
  const waits = await waiting();
  const { project, config, write } = waits;
  write('person.txt', 'person\n');
  commit(waits, 'person.txt');
  rmSync(join(project.root, '1.txt'));
  await config(
    `gates: [{ name: test, command: ${JSON.stringify(amendOnce(project, 'person.txt', 'Amended'))} }]\n`,
  );
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(subjects(waits)).toEqual(['Amended', "Merge branch 'main' into ralph/main", 'One', 'Start']);
});

it('what a person amends after the trunk has taken it in, and before the next work lands, is there once', async () => {
  const waits = await waiting();
  const { project, config } = waits;
  const { root } = project;
  await config(
    `gates: [{ name: test, command: ${JSON.stringify(amendOnce(project, '2.txt', 'Amended'))} }]\n`,
  );
  waits.script(2, [
    [
      shell(
        `echo work > 2.txt; cd ${root}; rm 1.txt; echo p > p.txt; git add p.txt; git ${AS_PERSON} commit -qm Person`,
      ),
      done(),
    ],
  ]);
  await project.json('add', 'Two');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  // The branch had the merge by then, so that is what they amended.
  expect(subjects(waits)).toEqual(['Amended', 'One', 'Person', 'Start', 'Two']);
});
