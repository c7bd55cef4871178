// Where the session of a client works, from the moment the client takes a task until the task is closed.

import { Refusal } from '../../domain/refusal.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { isOnThisMachine, liveness } from '../../host/processes/process-identity.ts';
import { projectWorkTrees } from '../../host/project.ts';
import type { Effects } from '../../queue/sessions/finish.ts';
import { recover } from '../../queue/sessions/recover.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { endProcesses } from '../../supervisor/clean-up.ts';
import { recoveryGrounds } from '../../supervisor/ground/recovery-grounds.ts';
import type { ToolEffects, WorkPlace } from '../../tools/tool.ts';
import type { Project } from '../open-project.ts';
import type { ProjectContext } from '../world.ts';
import { openClientGround } from './client-ground.ts';

export async function openWorkPlace(
  context: ProjectContext,
  project: Project,
  { run_id, in_place }: Parameters<ToolEffects['openPlace']>[0],
): Promise<WorkPlace> {
  const kind = in_place ? 'checkout' : 'configured';
  const { ground, notes, requireProvable, effects } = await openClientGround(context, project, {
    run_id,
    kind,
  });
  const requireTip = async (): Promise<string | null> => {
    const problem = await ground.whyNotReady();
    if (problem !== null) throw new Refusal(problem);
    return ground.tip();
  };
  const base_commit = await requireTip().catch(async (error: unknown) => {
    await ground.end();
    throw error;
  });
  let claimed: Claim | null = null;
  return {
    base_commit,
    begin: async (claim) => {
      claimed = claim;
      const { root, slot, env } = await ground.open(claim);
      return { root, isSlot: slot !== null, env };
    },
    requireProvable,
    afterWork: async () => {
      if (claimed !== null) await ground.afterAgent(claimed);
    },
    effects: effects({ isRecovery: false }),
    notes,
    end: async () => {
      if (claimed !== null) await ground.close(claimed);
      await ground.end();
    },
  };
}

/** Settles what dead clients left, each session where it worked. */
export async function recoverClients(
  context: ProjectContext,
  project: Project,
  { run_id, limits }: Parameters<ToolEffects['recover']>[0],
): Promise<void> {
  const grounds = recoveryGrounds(project, null, (kind) =>
    openClientGround(context, project, { run_id, kind: kind ?? 'configured' }),
  );
  const effects = async (session: Session): Promise<Effects> => ({
    ...(await grounds.of(session)).effects({ isRecovery: true }),
    reap: endProcesses,
  });
  try {
    const trees = projectWorkTrees(project);
    await recover(project.queue, {
      run_id,
      lookUp: liveness,
      isHere: isOnThisMachine,
      trees,
      effects,
      limits,
      kind: 'interactive',
    });
  } finally {
    await grounds.end();
  }
}
