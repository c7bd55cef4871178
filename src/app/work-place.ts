// Where the session of a client works, from the moment the client takes a task until the task is closed.

import { Refusal } from '../domain/refusal.ts';
import { readSessionRecord } from '../host/in-place/session-record.ts';
import { isAlive } from '../host/processes/process-identity.ts';
import { projectWorkTrees } from '../host/project.ts';
import { readConfig } from '../project/read-config.ts';
import type { Effects } from '../queue/sessions/finish.ts';
import type { LiveSession } from '../queue/sessions/live-session.ts';
import { recover } from '../queue/sessions/recover.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import { endProcesses } from '../supervisor/clean-up.ts';
import type { ToolEffects, WorkPlace } from '../tools/tool.ts';
import { type ClientGround, type GroundKind, openClientGround } from './client-ground.ts';
import type { Project } from './open-project.ts';
import type { ProjectContext } from './world.ts';

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

type Opened = Pick<ClientGround, 'ground'> & { own: Effects };

/** Settles what dead clients left, each session where it worked. */
export async function recoverClients(
  context: ProjectContext,
  project: Project,
  { run_id, limits }: Parameters<ToolEffects['recover']>[0],
): Promise<void> {
  const opened = new Map<GroundKind, Promise<Opened>>();
  const open = async (kind: GroundKind): Promise<Opened> => {
    const { ground, effects: make } = await openClientGround(context, project, { run_id, kind });
    return { ground, own: make({ isRecovery: true }) };
  };
  const kindOf = async ({ id, slot }: LiveSession['session']): Promise<GroundKind> => {
    if (slot !== null) return 'slots';
    return (await readSessionRecord(project, id)) !== null ? 'checkout' : 'configured';
  };
  const effectsFor = async ({ session }: LiveSession): Promise<Effects> => {
    const kind = await kindOf(session);
    const opening = opened.get(kind) ?? open(kind);
    opened.set(kind, opening);
    return (await opening).own;
  };
  const { verify_feature, commit } = await readConfig(project.root);
  const effects: Effects = {
    findTampering: async (live) => (await effectsFor(live)).findTampering?.(live) ?? null,
    isUnchanged: async (live) => (await effectsFor(live)).isUnchanged?.(live) ?? false,
    runGates: async (live, done) => (await effectsFor(live)).runGates(live, done),
    saveUnfinished: async (live, gates) => (await effectsFor(live)).saveUnfinished?.(live, gates),
    commit: async (live, done, gates) => (await effectsFor(live)).commit(live, done, gates),
    settled: async (live, decision) => (await effectsFor(live)).settled?.(live, decision),
    verifiesFeatures: async () => verify_feature,
    commitsFeatures: async () => commit === 'feature',
    reap: endProcesses,
  };
  try {
    const trees = projectWorkTrees(project);
    await recover(project.queue, { run_id, isAlive, trees, effects, limits, kind: 'interactive' });
  } finally {
    for (const opening of opened.values()) await opening.then(({ ground }) => ground.end()).catch(() => {});
  }
}
