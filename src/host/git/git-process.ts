// How Ralph starts git, and how it finds the git that it has started.
import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import { identify } from '../processes/process-identity.ts';
import type { Marker } from '../processes/reap.ts';
import { runToEnd } from '../processes/spawn.ts';
import { openStarter, type Starter } from '../processes/starter.ts';

const MARKER = 'RALPH_GIT_OF';
const owner = ({ pid, process_started }: ProcessIdentity): string => `${pid}.${process_started ?? ''}`;
const own = owner(identify(process.pid));

/** Every git process carries it in its environment: git goes on when the Ralph that started it is killed. */
export const gitMarker = (of: ProcessIdentity): Marker => `${MARKER}=${owner(of)}`;

/** The marker of this process, for the environment of its git. */
export const OWN_MARKER: Readonly<Record<string, string>> = { [MARKER]: own };

/** A run of one session stays below: to start the small process takes as long as to start git thirty times. */
const STARTED_BY_ITSELF = 50;

type GitStarter = { readonly open: () => Starter; started: number; agents: number; starter: Starter | null };
let ofRun: GitStarter | null = null;

/** Until it is closed, a small process starts git for a run that needs git often: two dozen times for each session. */
export function openGitStarter(
  ralph: readonly string[],
  open: typeof openStarter = openStarter,
): { close(): Promise<void> } {
  // Two runs in one process: the first one keeps it.
  if (ofRun !== null) return { close: async () => {} };
  const opened: GitStarter = {
    open: () => open(ralph, `${MARKER}=${own}`),
    started: 0,
    agents: 0,
    starter: null,
  };
  ofRun = opened;
  return {
    close: async () => {
      ofRun = null;
      await opened.starter?.close();
    },
  };
}

/** Call it when an agent has begun to work: then no session waits for the start of the small process. */
export function openStarterBesideAgent(): void {
  if (ofRun !== null && ++ofRun.agents > 1) ofRun.starter ??= ofRun.open();
}

export const runGitProcess: typeof runToEnd = (command, args, options) => {
  if (ofRun !== null && ++ofRun.started > STARTED_BY_ITSELF) ofRun.starter ??= ofRun.open();
  return (ofRun?.starter?.run ?? runToEnd)(command, args, options);
};
