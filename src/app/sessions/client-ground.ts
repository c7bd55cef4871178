// The ground on which the sessions of an interactive client work, and what finishes them there.

import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { gateChangesText, unsignedText } from '../../domain/sessions/commit-message.ts';
import { allowedMatcher } from '../../files/secret-files.ts';
import { liveness } from '../../host/processes/process-identity.ts';
import type { Effects } from '../../queue/sessions/finish.ts';
import { knownGateResults } from '../../queue/sessions/gate-results.ts';
import { areOthersAtWork } from '../../queue/sessions/runs.ts';
import { show } from '../../queue/tasks/show.ts';
import type { Ground, GroundKind } from '../../supervisor/ground/ground.ts';
import { openGround, openGroundAs } from '../../supervisor/ground/index.ts';
import type { GroundInput, SupervisorEvent } from '../../supervisor/input.ts';
import { watchForTampering } from '../../supervisor/sessions/tampering.ts';
import { readAcceptedConfig, readTrust } from '../definitions/trust.ts';
import type { Project } from '../open-project.ts';
import type { ProjectContext } from '../world.ts';
import { openProjectSandbox } from './sandbox.ts';
import { slotsFolder } from './slots.ts';

type ClientGround = {
  readonly ground: Ground;
  /** For the person, about what Ralph did. Each is returned once. */
  notes(): string[];
  /** Refuses if the gates are not trusted, or are not those with which the ground was opened. */
  requireProvable(): Promise<void>;
  effects(options: { isRecovery: boolean }): Effects;
};

/** A client ends by itself; Ralph stops only what it launched. */
const NEVER = new AbortController().signal;

/** When a client leaves, no caller waits for gates. */
const LEAVING = AbortSignal.abort();

export async function openClientGround(
  context: ProjectContext,
  project: Project,
  /** `configured`: where `ralph run` would work. */
  { run_id, kind }: { run_id: number; kind: GroundKind | 'configured' },
): Promise<ClientGround> {
  const { root, stateDir, queue } = project;
  const read = await readAcceptedConfig(project);
  const config = { ...read, in_place: kind === 'configured' ? read.in_place : kind === 'checkout' };
  const trust = (folder?: string) => readTrust(context, project, read, folder);
  const first = await trust();
  if (!first.trusted && config.slots.setup !== null && !config.in_place) throw new Refusal(UNTRUSTED_SETUP);
  const tampering = await watchForTampering({ trust }, { isPersons: true });
  const notes = new Set<string>();
  // The person's client is as free as they are; what it wrote runs in the gates.
  const { sandbox } = await openProjectSandbox(context, project, config);
  const input: GroundInput = {
    queue,
    root,
    stateDir,
    env: context.env,
    slotsFolder: slotsFolder(context.env, project, config.slots),
    sandbox,
    config,
    stop: { after: LEAVING, now: NEVER },
    baseline: { accepted: [] },
    tell: (event) => {
      const note = clientNote(event);
      if (note !== null) notes.add(note);
    },
    isBeside: await areOthersAtWork(queue, run_id, liveness),
  };
  const ground = await (kind === 'slots'
    ? openGroundAs(kind, input, tampering)
    : openGround(input, tampering));
  /** A configuration may have come with a clone: Ralph runs nothing of it before a person trusts it. */
  const requireTrust = async (): Promise<void> => {
    if (!(await trust()).trusted) throw new Refusal(UNTRUSTED);
    // What a person trusts during the session counts: they are at the client.
    await tampering.isAllowed();
  };
  return {
    ground,
    notes: () => {
      const all = [...notes];
      notes.clear();
      return all;
    },
    requireProvable: async () => {
      if (!isSame(await readAcceptedConfig(project), read)) throw new Refusal(RULES_CHANGED);
      await requireTrust();
    },
    effects: (options) => {
      const own = ground.effects({
        ...options,
        knownGates: (tree) => knownGateResults(queue, tree),
        secrets: {
          questions: async (task_id) => (await show(queue, task_id)).questions,
          allowed: async () => allowedMatcher(config.secrets_allowed),
        },
        onGateChanges: (changes) => void notes.add(`Note: ${gateChangesText(changes)}.`),
        onUnsigned: (reason) => void notes.add(`Note: ${unsignedText(reason)}.`),
      });
      return {
        ...own,
        runGates: async (live, done) => {
          await requireTrust();
          return own.runGates(live, done);
        },
        verifiesFeatures: async () => config.verify_feature,
        commitsFeatures: async () => config.commit === 'feature',
      };
    },
  };
}

const isSame = (one: Config, other: Config): boolean => JSON.stringify(one) === JSON.stringify(other);

function clientNote(event: SupervisorEvent): string | null {
  if (event.kind === 'checkout_waits')
    return `Note for the person: it landed, and ${event.branch} waits. ${event.reason}`;
  if (event.kind === 'definitions_changed')
    return `Note: Ralph did not take over what changed below .ralph: ${event.files.join(', ')}.`;
  return null;
}

const UNTRUSTED =
  'The gates of this project are not trusted yet, so a done cannot be proven. Nothing was changed. Ask the person to run ralph trust, then call the tool again.';

const UNTRUSTED_SETUP =
  'The setup of slots in this project is not trusted yet, so Ralph cannot make a slot ready. Nothing was changed. Ask the person to run ralph trust, then call the tool again.';

const RULES_CHANGED =
  'The configuration of Ralph has changed since you took the task, so nothing was recorded. Call partial, then next_task with the number of the task: that session is judged by the new rules.';
