// Living processes, as /proc lists them.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Process = {
  pid: number;
  parent: number;
  group: number;
  command: string;
  /** The entries of its environment that Ralph has made. */
  marks: readonly string[];
};

/** Living processes that work inside a folder, or carry one of the markers in their environment. */
export const findProcesses = (folder: string, markers: readonly string[]): Process[] =>
  listProcesses(
    (pid, environment) =>
      isBelow(folder, readlinkSync(`/proc/${pid}/cwd`)) ||
      environment.some((entry) => markers.includes(entry)),
  );

/** Living processes of a pid namespace, by its name in /proc. */
export const processesIn = (namespace: string): Process[] =>
  listProcesses((pid) => pidNamespace(pid) === namespace);

export const pidNamespace = (pid: number): string => readlinkSync(`/proc/${pid}/ns/pid`);

function listProcesses(isOurs: (pid: number, environment: readonly string[]) => boolean): Process[] {
  return pids().flatMap((pid) => {
    try {
      const { state, parent, group } = readStat(pid);
      if (state === 'Z' || state === 'X') return [];
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!isOurs(pid, environment)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
      const marks = environment.filter((entry) => entry.startsWith('RALPH_'));
      return [{ pid, parent, group, command, marks }];
    } catch {
      // The process has ended meanwhile, or belongs to another user.
      return [];
    }
  });
}

/** The git that a supervisor has started. */
export const findGitProcesses = (supervisor: number, folder: string): Process[] =>
  findProcesses(folder, []).filter(({ marks }) =>
    marks.some((mark) => mark.startsWith(`RALPH_GIT_OF=${supervisor}.`)),
  );

/** Whether nothing of a process group runs at the moment. */
export const isGroupStopped = (group: number): boolean =>
  pids().every((pid) => !isRunning(pid, (one) => one === group));

export const isStopped = (pid: number): boolean => !isRunning(pid);

function isRunning(pid: number, isAsked: (group: number) => boolean = () => true): boolean {
  try {
    const { state, group } = readStat(pid);
    return isAsked(group) && !/^[TtZX]$/.test(state);
  } catch {
    return false;
  }
}

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number);

function readStat(pid: number): { state: string; parent: number; group: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state = '', parent = '', group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent), group: Number(group) };
}

const isBelow = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** False where there is no such process. A negative number names a group. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const endings = new Set<() => void>();
let isListening = false;

/** Calls it when this process exits, so that nothing outlives it. Answers with what takes that back. */
export function endAtExit(end: () => void): () => void {
  if (!isListening)
    process.once('exit', () => {
      for (const one of endings) {
        try {
          one();
        } catch (error) {
          // The others still have to end.
          console.error(error);
        }
      }
    });
  isListening = true;
  endings.add(end);
  return () => void endings.delete(end);
}
