// A person who works in the same repository: edits, stages, commits, amends, pulls a colleague's commit below, switches branches.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Of, PersonAct } from '../disturbance.ts';
import { awaitMoment, until } from '../moment.ts';
import type { ChaosProject } from '../project.ts';
import { requireRunning, type Scene } from '../scene.ts';
import { whileFrozen } from './freeze.ts';
import { commitFiles, openPersonGit, type PersonGit, replay } from './person-git.ts';
import type { PersonLog } from './person-log.ts';

/** Answers with the act; null where the person could not do it at that moment. */
export async function actAsPerson(
  scene: Scene,
  { moment, act, awayMs }: Of<'person'>,
): Promise<string | null> {
  const running = requireRunning(scene);
  await awaitMoment(scene.project, running, moment);
  scene.mayBeRefused = true;
  const done = await ACTS[act](scene, awayMs);
  return done ? act : null;
}

/** Before the first run: a commit that was not pushed yet, which can be amended and rebased. */
export function beginAsPerson({ project, person }: Scene): void {
  commitOwnFile(openPersonGit(project), person, project);
}

const ACTS: Readonly<Record<PersonAct, (scene: Scene, awayMs: number) => Promise<boolean>>> = {
  commit: (scene) => frozen(scene, commitOwnFile),
  line: (scene) => frozen(scene, commitLine),
  amend: (scene, awayMs) => inTheWay(scene, () => amendLater(scene, awayMs)),
  rebase: (scene) => inTheWay(scene, () => frozen(scene, pullWithRebase)),
  switch: switchAndBack,
  edit,
  stage,
};

/** If the round wants it, their branch lacks what has landed until they have rewritten what that builds on. */
async function inTheWay(scene: Scene, act: () => Promise<boolean>): Promise<boolean> {
  const { project, running, isInTheWay } = scene;
  const git = openPersonGit(project);
  if (!isInTheWay || git.branch() !== 'main') return act();
  const file = join(project.root, 'shared.txt');
  await whileFrozen(project, running, () => appendFileSync(file, 'In the way.\n'));
  if (running !== null) await until(running, () => waitingOnTrunk(git) > 0);
  try {
    return await act();
  } finally {
    await whileFrozen(project, running, () => writeFileSync(file, git.read('HEAD:shared.txt')));
  }
}

const waitingOnTrunk = (git: PersonGit): number =>
  Number(git.run(['rev-list', '--count', 'main..ralph/main']));

type Act = (git: PersonGit, log: PersonLog, project: ChaosProject) => boolean;

const frozen = (scene: Scene, act: Act): Promise<boolean> =>
  whileFrozen(scene.project, scene.running, () =>
    act(openPersonGit(scene.project), scene.person, scene.project),
  );

const commitOwnFile: Act = (git, log, { root }) => {
  const number = log.commits.length + 1;
  const [path, text, branch] = [`person-${number}.txt`, `Written by a person ${number}.\n`, git.branch()];
  const subject = `Person ${number}`;
  writeFileSync(join(root, path), text);
  commitFiles(git, subject, { [path]: text });
  log.commits.push({ subject, branch });
  log.files.push({ branch, path, text });
  return true;
};

/** As `git add -p` and `git commit` do it: the task's own lines in the same file stay uncommitted. */
const commitLine: Act = (git, log, { root }) => {
  const number = log.commits.length + 1;
  const [subject, line, branch] = [`Person ${number}`, `Line by a person ${number}.`, git.branch()];
  const inTree = git.readTree('shared.txt');
  if (inTree === null) return false;
  const committed = `${line}\n${git.read('HEAD:shared.txt')}`;
  writeFileSync(join(root, 'shared.txt'), `${line}\n${inTree}`);
  commitFiles(git, subject, { 'shared.txt': committed });
  log.commits.push({ subject, branch });
  log.lines.push({ branch, text: line });
  return true;
};

/** The commit is made between two sessions where possible: the next one begins on it, and loses it under its feet. */
async function amendLater(scene: Scene, awayMs: number): Promise<boolean> {
  const { running } = scene;
  const subject = openPersonGit(scene.project).subject();
  if (!subject.startsWith('Person ')) {
    const settled = running?.settled() ?? 0;
    if (running !== null && settled > 0) await until(running, () => running.settled() > settled);
    await frozen(scene, commitOwnFile);
    const head = openPersonGit(scene.project).head();
    if (scene.isInTheWay && running !== null)
      await until(running, () => isOnTrunk(openPersonGit(scene.project), head));
    else await pause(awayMs);
  }
  return frozen(scene, amend);
}

const isOnTrunk = (git: PersonGit, commit: string): boolean =>
  git.run(['rev-list', '--count', `ralph/main..${commit}`]).trim() === '0';

const amend: Act = (git, log, { root }) => {
  const [old, subject, branch] = [git.head(), git.subject(), git.branch()];
  const own = log.files.find((file) => file.path === `person-${/\d+$/.exec(subject)?.[0]}.txt`);
  if (!subject.startsWith('Person ') || own?.branch !== branch) return false;
  own.text += 'Amended by a person.\n';
  writeFileSync(join(root, own.path), own.text);
  log.rewritten.set(old, commitFiles(git, subject, { [own.path]: own.text }, { amends: true }));
  return true;
};

/** `git pull --rebase`: the colleague's commit comes in below all that was not pushed, Ralph's commits included. */
const pullWithRebase: Act = (git, log, { root }) => {
  const branch = git.branch();
  const number = log.commits.length + 1;
  const [path, text, subject] = [
    `colleague-${number}.txt`,
    'Written by a colleague.\n',
    `Colleague ${number}`,
  ];
  writeFileSync(join(root, path), text);
  const { upstream, rewritten } = replay(git, log.upstream, subject, { [path]: text });
  log.upstream = upstream;
  for (const [old, now] of rewritten) log.rewritten.set(old, now);
  log.commits.push({ subject, branch });
  log.files.push({ branch, path, text });
  return true;
};

/** Nothing stands still for it: a person saves a file whenever they like. */
async function edit({ project, person }: Scene): Promise<boolean> {
  const number = person.drafts.size;
  write(project, person, 'README.md', { text: `Edited by a person ${number}.\n`, status: ' M' });
  write(project, person, `draft-${number}.txt`, { text: `Draft ${number}.\n`, status: '??' });
  return true;
}

const MOST_TRIES = 50;
const TRY_AGAIN_MS = 20;

/** Git refuses for the moment in which Ralph brings the checkout forward; a person tries again. */
async function stage({ project, person }: Scene): Promise<boolean> {
  const number = person.drafts.size;
  write(project, person, 'staged.txt', { text: `Staged again by a person ${number}.\n`, status: 'M ' });
  write(project, person, `plan-${number}.txt`, { text: `Plan ${number}.\n`, status: 'A ' });
  for (let tries = 1; ; tries++) {
    try {
      openPersonGit(project).run(['add', '--', 'staged.txt', `plan-${number}.txt`]);
      return true;
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      await pause(TRY_AGAIN_MS);
    }
  }
}

function write(
  { root }: ChaosProject,
  { drafts }: PersonLog,
  path: string,
  draft: { text: string; status: string },
): void {
  writeFileSync(join(root, path), draft.text);
  drafts.set(path, draft);
}

async function switchAndBack(scene: Scene, awayMs: number): Promise<boolean> {
  const isAway = await frozen(scene, (git, log, project) => {
    const refused = git.switch('-c', `side-${log.commits.length + 1}`);
    return refused === null && commitOwnFile(git, log, project);
  });
  if (!isAway) return false;
  await pause(awayMs);
  const goBack = (): Promise<string | null> =>
    whileFrozen(scene.project, scene.running, () => openPersonGit(scene.project).switch('main'));
  // A tree that a session has changed may hold the person back until the session is over.
  let refused = await goBack();
  const { running } = scene;
  while (refused !== null && running !== null && (await until(running, () => true))) refused = await goBack();
  refused = refused === null ? null : await goBack();
  if (refused !== null) scene.person.refused.push(refused);
  return true;
}
