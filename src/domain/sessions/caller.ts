// Decides whether the process that asks for a person's decision may be a person's. What Ralph knows of a process is its ancestors,
// its terminal and its place. Three checks are sound as long as no agent has root: the ancestors (an orphan loses them), the pid
// namespace (no process leaves its own), and whether a terminal is there. The age of the programs behind a terminal is a guess:
// it finds a terminal that an orphan of a session opened, unless the orphan got a program that is older than the run to open it.
import { processReach } from './liveness.ts';
import type { PidPlace, ProcessIdentity } from './session.ts';

export type Ancestor = {
  pid: number;
  /** The process that leads its session, in the sense of the system: all processes of one terminal have the same. */
  leader: number;
  /** In ticks since boot. */
  started: number;
  name: string;
  /** Its environment says that it belongs to a session of Ralph. `folder`: what the session may treat as its own. */
  session: { folder: string | null } | null;
};

export type Caller = {
  /** The process itself, its parent, and so on, without the first process of the system. Empty where no such list is to be had. */
  ancestors: readonly Ancestor[];
  /** The same for the process that leads its terminal. */
  leaders: readonly Ancestor[];
  /** True if the first of them came from outside: its parent is another user's, or in another container. */
  isFromOutside: boolean;
  /** Whether it logged in by ssh from this very machine. */
  isLocalLogin: boolean;
  hasTerminal: boolean;
  /** The group of processes to which the system's service manager counts it. */
  group: string | null;
  place: PidPlace;
};

/** A run at work. `group`: as of a caller. */
export type RunAtWork = ProcessIdentity & { group: string | null };

export type Doubt = 'session' | 'namespace' | 'no_terminal' | 'new_terminal';

/** The namespace of the processes that are in no container and no sandbox. It has this number on every Linux. */
const OUTERMOST = 'pid:[4026531836]';

/** Programs that adopt orphans: everything may be below them. */
const ADOPTS = new Set([
  'systemd',
  'init',
  'tini',
  'dumb-init',
  'docker-init',
  'catatonit',
  's6-svscan',
  'conmon',
  'bwrap',
  'runit',
  'runsvdir',
  'openrc-init',
  'dinit',
  'shepherd',
  'launchd',
  'gnome-session-b',
  'lxqt-session',
]);

/** How systemd-run names a unit without a name; every process can start one. */
const UNNAMED_UNIT = /\/run-[^/]*\.(?:scope|service)$/;

/** What speaks against a person; null if nothing does. `project`: its root. */
export function doubtCaller(caller: Caller, runs: readonly RunAtWork[], project: string): Doubt | null {
  const here = runs.filter((run) => processReach(run, caller.place) === 'here');
  if (isMarked(caller, project) || here.some((run) => isBelow(caller, run))) return 'session';
  if (runs.some((run) => isOutside(run, caller.place))) return 'namespace';
  if (here.length === 0) return null;
  if (!caller.hasTerminal) return 'no_terminal';
  return here.some((run) => isNewTerminal(caller, run)) ? 'new_terminal' : null;
}

/** The same for what programs of a person do without a terminal: there the programs behind the process count. */
export function doubtProgram(caller: Caller, runs: readonly RunAtWork[], project: string): Doubt | null {
  const doubt = doubtCaller(caller, runs, project);
  if (doubt !== 'no_terminal') return doubt;
  const here = runs.filter((run) => processReach(run, caller.place) === 'here');
  return here.some((run) => isNewerThan(caller, caller.ancestors, run)) ? 'new_terminal' : null;
}

/** A project within the session's own folder is no person's: tests of programs that use Ralph make such projects. */
export function isMarked({ ancestors, leaders }: Caller, project: string): boolean {
  const isOwn = (folder: string | null): boolean => folder !== null && project.startsWith(`${folder}/`);
  return [...ancestors, ...leaders].some(({ session }) => session !== null && !isOwn(session.folder));
}

/** Ralph starts agents and gates as leaders of their own; what else a run starts stays with the run's leader. */
function isBelow({ ancestors, leaders }: Caller, run: ProcessIdentity): boolean {
  return [ancestors, leaders].some((chain) => {
    const at = chain.findIndex(
      ({ pid, started }) => pid === run.pid && String(started) === run.process_started,
    );
    return at > 0 && chain[at - 1]?.leader !== chain[at]?.leader;
  });
}

function isOutside(run: ProcessIdentity, { boot, pid_namespace }: PidPlace): boolean {
  if (boot === null || run.boot !== boot || run.pid_namespace === null || pid_namespace === null)
    return false;
  return run.pid_namespace !== pid_namespace && pid_namespace !== OUTERMOST;
}

/** A window has a program that shows it; what the service manager was asked to start on a terminal has none. */
function isNewTerminal(caller: Caller, run: RunAtWork): boolean {
  const { leaders } = caller;
  const isShown = leaders[1] === undefined || !ADOPTS.has(leaders[1].name);
  return isNewerThan(isShown ? caller : { ...caller, group: run.group }, leaders, run);
}

function isNewerThan(caller: Caller, chain: readonly Ancestor[], run: RunAtWork): boolean {
  const { isFromOutside, isLocalLogin, group } = caller;
  // Without the list nothing can be told from it.
  if (run.process_started === null || isFromOutside) return false;
  const isOtherUnit = group !== null && run.group !== null && group !== run.group;
  if (isOtherUnit && !isLocalLogin && !UNNAMED_UNIT.test(group)) return false;
  const began = Number(run.process_started);
  // The service for logins is older than every run, so its age says nothing about the login.
  const login = isLocalLogin ? chain.findIndex(({ name }) => name.startsWith('sshd')) : -1;
  const own = login < 0 ? chain : chain.slice(0, login);
  return own.every(({ started, name }) => started >= began || ADOPTS.has(name));
}
