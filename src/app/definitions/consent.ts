// Who may decide: a person, and never a session of an agent. docs/security.md says what the checks hold and what they do not.

import { Refusal } from '../../domain/refusal.ts';
import {
  type Caller,
  type Doubt,
  doubtCaller,
  doubtProgram,
  isMarked,
} from '../../domain/sessions/caller.ts';
import { isAlive, isOnThisMachine } from '../../host/processes/process-identity.ts';
import { atWork, readCaller } from '../../host/processes/read-caller.ts';
import { listOpenRuns } from '../../queue/sessions/runs.ts';
import type { Project } from '../open-project.ts';
import type { CommandContext, ProjectContext } from '../world.ts';

type Asking = Pick<CommandContext, 'env' | 'hasTerminal'>;
type Asked = Pick<Project, 'queue' | 'root'>;

/** An agent reports by its verbs. With a person's commands it could decide about its own work: skip a blocker, answer itself. */
export const requirePerson = (context: Asking, project: Asked, action: string): Promise<void> =>
  refuseDoubt(context, project, action, doubtCaller);

/** For what a person's programs do without a terminal, also beside a run: an MCP client starts a server, a script adds a task. */
export const requirePersonOrProgram = (context: Asking, project: Asked, action: string): Promise<void> =>
  refuseDoubt(context, project, action, doubtProgram);

/** Whether a session runs this process, as far as its environment and its ancestors tell. */
export const isOfSession = ({ env }: Pick<ProjectContext, 'env'>, root: string): boolean =>
  Boolean(env['RALPH_SESSION_ID']) || isMarked(readCaller(false), root);

/** The same without a queue, as far as that goes. */
export function refuseSession(context: Pick<ProjectContext, 'env'>, root: string, action: string): void {
  if (isOfSession(context, root)) throw new Refusal(REASONS.session(action));
}

async function refuseDoubt(
  { env, hasTerminal }: Asking,
  { queue, root }: Asked,
  action: string,
  judge: typeof doubtCaller,
): Promise<void> {
  if (env['RALPH_SESSION_ID']) throw new Refusal(REASONS.session(action));
  const alive = (await listOpenRuns(queue)).filter((run) => isOnThisMachine(run) && isAlive(run));
  // Gates of an interactive client descend from its server; nothing else of it is to be told from the person.
  const [supervisors, clients] = [true, false].map((isSupervisor) =>
    alive.filter(({ kind }) => (kind === 'supervisor') === isSupervisor).map(atWork),
  );
  const caller: Caller = readCaller(hasTerminal());
  const doubt =
    judge(caller, supervisors ?? [], root) ??
    (doubtCaller(caller, clients ?? [], root) === 'session' ? 'session' : null);
  if (doubt !== null) throw new Refusal(REASONS[doubt](action));
}

const REASONS: Readonly<Record<Doubt, (action: string) => string>> = {
  session: (action) => `This is a session of an agent, and only a person ${action}.`,
  namespace: (action) =>
    `Only a person ${action}, and a run is at work outside of this container or sandbox; do it out there.`,
  no_terminal: (action) =>
    `Only a person ${action}, and without a terminal Ralph cannot tell you from the agents of the run that is at work; do it on a terminal, or after the run.`,
  new_terminal: (action) =>
    `Only a person ${action}, and everything behind this process began after the run that is at work, so it may be an agent's; use a terminal that was open before the run, or wait for its end.`,
};
