// SIGKILL to one part of a run, or SIGHUP to the whole of it.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Of } from '../disturbance.ts';
import { awaitMoment, until } from '../moment.ts';
import { hasOpen } from '../open-rows.ts';
import { findGitProcesses, findProcesses, type Process, signal } from '../processes.ts';
import type { ChaosProject } from '../project.ts';
import { endRun, requireRunning, type Scene } from '../scene.ts';
import { recordSurvivors } from './survivors.ts';

/** Answers with a detail of what was done; null where the run ended before. */
export async function killSupervisor(
  scene: Scene,
  { victim, moment, plantsLock, awaitsEnd }: Of<'supervisor' | 'group'>,
): Promise<string | null> {
  const running = requireRunning(scene);
  await awaitMoment(scene.project, running, moment);
  const end = () => {
    // As a machine that stops would: its git has a group of its own.
    const git = victim === 'group' ? findGitProcesses(running.pid, scene.project.folder) : [];
    const ended = endSupervisor(scene, victim === 'group' ? -running.pid : running.pid, 'SIGKILL');
    for (const { pid } of git) signal(pid, 'SIGKILL');
    return ended;
  };
  const isHit = await (awaitsEnd ? recordSurvivors(scene, end) : end());
  if (!isHit) return null;
  if (plantsLock) plantLock(scene.project);
  return awaitsEnd ? 'awaited' : '';
}

/** Once work is judged a ref holds it, so it survives its slot. */
export async function loseSlots(scene: Scene, { moment }: Of<'slots'>): Promise<string | null> {
  const running = requireRunning(scene);
  const { root, folder } = scene.project;
  await awaitMoment(scene.project, running, moment);
  const isJudged = await until(running, () => hasOpen(root, 'sessions', "phase = 'landing'"));
  if (!isJudged || !(await endSupervisor(scene, -running.pid, 'SIGKILL'))) return null;
  for (const { pid } of findGitProcesses(running.pid, folder)) signal(pid, 'SIGKILL');
  rmSync(join(folder, 'home/.local/state/ralph/slots'), { recursive: true, force: true, maxRetries: 5 });
  return '';
}

/** A terminal that is closed sends the signal to the group in its foreground. */
export async function hangUp(scene: Scene, { moment }: Of<'hangup'>): Promise<string | null> {
  const running = requireRunning(scene);
  await awaitMoment(scene.project, running, moment);
  const isHit = await recordSurvivors(scene, () => endSupervisor(scene, -running.pid, 'SIGHUP'));
  return isHit ? '' : null;
}

async function endSupervisor(scene: Scene, pid: number, name: NodeJS.Signals): Promise<boolean> {
  if (scene.running?.isOver() !== false || !signal(pid, name)) return false;
  await endRun(scene, { killed: true });
  return true;
}

/** The run itself replaces an agent, a server and a gate. */
export async function killPart(
  scene: Scene,
  { victim, moment }: Of<'server' | 'agent' | 'gate'>,
): Promise<string | null> {
  const running = requireRunning(scene);
  await awaitMoment(scene.project, running, moment);
  const isHit = await until(running, () =>
    targetsAmong(findProcesses(scene.project.folder, []), victim).some((pid) => signal(pid, 'SIGKILL')),
  );
  if (!isHit) return null;
  // The group of the gate died as one; whatever left it follows.
  if (victim === 'gate')
    for (const pid of targetsAmong(findProcesses(scene.project.folder, []), victim)) signal(pid, 'SIGKILL');
  return '';
}

/** A negative number names a group. */
export function targetsAmong(all: readonly Process[], victim: 'server' | 'agent' | 'gate'): number[] {
  if (victim === 'gate') {
    const gates = all.filter(({ marks }) => marks.some((mark) => mark.startsWith('RALPH_GATE_ID=')));
    const groups = gates.filter(({ command }) => /sh \S+gate\.sh /.test(command)).map(({ group }) => -group);
    return [...new Set(groups), ...gates.map(({ pid }) => pid)];
  }
  const agents = all.filter(isAgent);
  if (victim === 'agent') return agents.map(({ pid }) => pid);
  const isServer = ({ parent, command }: Process): boolean =>
    / \S+relay\.js$/.test(command) && agents.some(({ pid }) => pid === parent);
  return all.filter(isServer).map(({ pid }) => pid);
}

/** By its own first words: a process that only watches over it names it further on. */
const isAgent = ({ command, marks }: Process): boolean =>
  marks.some((mark) => mark.startsWith('RALPH_SESSION_ID=')) &&
  command.split(' ', 2).some((word) => /(agent\.js|\bclaude)$/.test(word));

/** As git leaves it when it is killed while it writes the index. Only a run that had begun has started one. */
function plantLock({ root }: ChaosProject): void {
  if (!hasOpen(root, 'runs')) return;
  try {
    // Never over the lock of a living git: it would become the index.
    writeFileSync(join(root, '.git/index.lock'), 'a part of an index', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
