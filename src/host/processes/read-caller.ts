// What the system says about the process that runs this code: its ancestors and its terminal.
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Ancestor, Caller, RunAtWork } from '../../domain/sessions/caller.ts';
import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import { pidPlace } from './process-identity.ts';

/** Every process of a session carries one of them, unless it clears its environment. */
const MARKERS = ['RALPH_SESSION_ID', 'RALPH_GATE_OF'];

/** More than any system has: a list that is read while processes end may lead in a circle. */
const MAX_ANCESTORS = 1_000;

/** Without /proc, as on macOS, there are no ancestors: then only the environment and the terminal count. */
export function readCaller(hasTerminal = hasControllingTerminal()): Caller {
  const own = readAncestors(process.pid);
  const leader = own.chain[0]?.leader ?? 0;
  const leading = own.chain.some(({ pid }) => pid === leader) ? from(own, leader) : readAncestors(leader);
  return {
    ancestors: own.chain,
    // The leader may have ended before the rest of its session.
    leaders: leading.chain.length === 0 ? own.chain : leading.chain,
    isFromOutside: own.isFromOutside || leading.isFromOutside,
    isLocalLogin: [...own.chain, ...leading.chain].some(({ pid }) => isLocalLogin(pid)),
    hasTerminal,
    group: readGroup(process.pid),
    place: pidPlace(),
  };
}

export const atWork = (run: ProcessIdentity): RunAtWork => ({ ...run, group: readGroup(run.pid) });

/** Also where standard input and output are pipes: a person may redirect them. */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'));
    return true;
  } catch {
    return false;
  }
}

type Ancestors = { chain: Ancestor[]; isFromOutside: boolean };

const from = ({ chain, isFromOutside }: Ancestors, leader: number): Ancestors => ({
  chain: chain.slice(chain.findIndex(({ pid }) => pid === leader)),
  isFromOutside,
});

function readAncestors(first: number): Ancestors {
  const chain: Ancestor[] = [];
  let pid = first;
  while (pid > 1 && chain.length < MAX_ANCESTORS) {
    const stat = readStat(pid);
    // Other users' processes may be hidden; no session's process has such a parent.
    if (stat === null) return { chain, isFromOutside: chain.length > 0 };
    chain.push({ ...stat.process, session: readSession(pid) });
    pid = stat.parent;
  }
  // A command that is started in a container from outside has no parent there.
  return { chain, isFromOutside: pid === 0 && chain.length > 0 };
}

function readStat(pid: number): { parent: number; process: Omit<Ancestor, 'session'> } | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may contain spaces and parentheses.
  const [start, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const fields = stat.slice(end + 2).split(' ');
  const [parent, leader, started] = [1, 3, 19].map((index) => Number(fields[index]));
  const name = stat.slice(start + 1, end);
  return { parent: parent ?? 0, process: { pid, leader: leader ?? 0, started: started ?? 0, name } };
}

/** The addresses of both ends are in the environment of the shell that ssh starts. */
function isLocalLogin(pid: number): boolean {
  const [client, , server] = readVariables(pid)('SSH_CONNECTION').split(' ');
  return client !== '' && client === server;
}

function readVariables(pid: number): (name: string) => string {
  const entries = (readOrNull(`/proc/${pid}/environ`) ?? '').split('\0');
  return (name) => entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

function readSession(pid: number): Ancestor['session'] {
  const variable = readVariables(pid);
  if (MARKERS.every((name) => variable(name) === '')) return null;
  const temporary = variable('TMPDIR');
  return { folder: variable('RALPH_SLOT') !== '' && temporary !== '' ? temporary : null };
}

/** Its place in the tree of systemd, in the form of either version of control groups. */
function readGroup(pid: number): string | null {
  const lines = (readOrNull(`/proc/${pid}/cgroup`) ?? '').split('\n');
  const line =
    lines.find((one) => /^\d+:name=systemd:/.test(one)) ?? lines.find((one) => one.startsWith('0::'));
  return line?.split(':').slice(2).join(':') ?? null;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
