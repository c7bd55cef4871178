// Sessions that work in slots and land, without a queue: a gate is a shell line, and what it saw is in a file.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Config } from '../../src/domain/config.ts';
import type { GateResult, KnownGate, Work } from '../../src/domain/sessions/gate.ts';
import type { Closing } from '../../src/domain/sessions/signal.ts';
import type { GateGround } from '../../src/host/landing/slot-gates.ts';
import { createSlotVerifier, type SlotVerifier } from '../../src/host/landing/slot-verifier.ts';
import type { SlotClaim } from '../../src/host/landing/slot-work.ts';
import { openTrain, type Train } from '../../src/host/landing/train.ts';
import { advanceTrunk, findTrunk, type Trunk } from '../../src/host/landing/trunk.ts';
import type { Following } from '../../src/host/persons-branch/follow.ts';
import type { Remote } from '../../src/host/remote/remote.ts';
import type { Sandbox } from '../../src/host/sandbox/sandbox.ts';
import type { Slot } from '../../src/host/slots/slot.ts';
import { acquireWorkSlot, releaseSlot, writeSlotSession } from '../../src/host/slots/slot-pool.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { filled, SLOTS, slotRepository, type TestRepository } from './slots.ts';

export const DONE: Closing = { verb: 'done', summary: 'Built.' };

export type LandingSession = { claim: SlotClaim; slot: Slot };

export type Lander = {
  repository: TestRepository;
  trunk: Trunk;
  train: Train;
  verifier: SlotVerifier<SlotClaim>;
  ground: GateGround;
  following: Following[];
  /** Why unfinished work is on this machine only. */
  unshared: string[];
  /** The trees that gates saw, in their order. */
  seen(): string[];
  /** A session in a slot of its own, on the tip of the trunk. */
  start(task_id: number): Promise<LandingSession>;
  /** What the supervisor does after a done. */
  land(session: LandingSession): Promise<{ gates: GateResult[]; work: Work | null }>;
  tip(): string;
};

const RECORDS_TREE = (file: string): string =>
  `T=$(mktemp -d) && export GIT_INDEX_FILE=$T/index && git read-tree HEAD && git add -A && git write-tree >> ${file}`;

export type LanderOptions = {
  config?: Partial<Config>;
  gate?: string;
  onGate?: () => void;
  /** Gates that may stay red. */
  accepted?: readonly string[];
  knownGates?: (tree: string) => Promise<readonly KnownGate[]>;
  isRecovery?: boolean;
  stop?: AbortSignal;
  sandbox?: Sandbox;
  slots?: Partial<Config['slots']>;
  train?: Train;
  onLanding?: () => Promise<void>;
  /** Where machines meet. */
  remote?: Remote | null;
};

/** A lander of another process has the same repository and its own train. */
export async function lander(
  repository: TestRepository,
  {
    config = {},
    gate = 'true',
    onGate,
    accepted = [],
    knownGates = async () => [],
    isRecovery = false,
    stop,
    sandbox,
    slots = {},
    train = openTrain(),
    onLanding = async () => {},
    remote = null,
  }: LanderOptions = {},
): Promise<Lander> {
  const trunk = findTrunk(repository.place, remote === null ? null : 'main', remote);
  const record = join(repository.folder, 'trees-seen');
  const rules = {
    slots: { ...SLOTS, ...slots },
    names: [],
    included: [],
    env: repository.place.env,
    ...(stop && { stop }),
    ...(sandbox && { sandbox }),
  };
  const ground: GateGround = {
    place: repository.slots,
    rules,
    gatesAtOnce: 2,
    trunk,
    env: repository.place.env,
  };
  const following: Following[] = [];
  const unshared: string[] = [];
  const base = await readConfig(repository.root);
  const verifier = createSlotVerifier<SlotClaim>({
    isRecovery,
    ground,
    trunk,
    train,
    config: {
      ...base,
      gates: [
        {
          name: 'test',
          command: `${RECORDS_TREE(record)}; ${gate}`,
          required: true,
          timeout_seconds: 60,
          max_output_mb: 1,
          expect: null,
          flaky: 'fail',
        },
      ],
      ...config,
    },
    knownGates,
    ...(stop && { stop }),
    secrets: { questions: async () => [], allowed: async () => () => false },
    accepted,
    findUntrusted: async () => null,
    saveGates: async () => {},
    sessionsOf: async () => [],
    onWork: async () => {},
    onLanding,
    onDefinitions: async () => {},
    onFollowing: (one) => following.push(one),
    onUnsigned: () => {},
    onUnshared: (reason) => unshared.push(reason),
    onFlaky: () => {},
    onGate: ({ ended }) => {
      if (ended === null) onGate?.();
    },
  });
  return {
    repository,
    trunk,
    train,
    verifier,
    ground,
    following,
    unshared,
    seen: () => (existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []),
    tip: () => repository.git('rev-parse', trunk.ref),
    start: async (task_id) => {
      const standing = await advanceTrunk(repository.place, trunk);
      if (standing.kind === 'no_branch') throw new Error('There is no branch.');
      const slot = await acquireWorkSlot(repository.slots, async () => true);
      await filled(repository, { slot, commit: standing.tip });
      const id = crypto.randomUUID();
      await writeSlotSession(slot, { session_id: id, base: standing.tip });
      const task = { id: task_id, title: `Task ${task_id}`, feature: null };
      return { claim: { task, session: { id, base_commit: standing.tip, slot: slot.number } }, slot };
    },
    land: async ({ claim, slot }) => {
      try {
        const gates = await verifier.runGates(claim, DONE);
        if (gates.some(({ passed }) => !passed)) return { gates, work: null };
        return { gates, work: await verifier.commit(claim, DONE, gates) };
      } finally {
        verifier.leave(claim.session.id);
        await releaseSlot(slot);
      }
    },
  };
}

export const newLander = async (options?: LanderOptions): Promise<Lander> =>
  lander(await slotRepository(), options);

/** Commits of tasks on the trunk, the newest first; none before a session has made the trunk. */
export function taskCommits({
  repository: { git },
  trunk,
}: Lander): { commit: string; tree: string; session: string }[] {
  const tip = git('for-each-ref', '--format=%(objectname)', trunk.ref).trim();
  if (tip === '') return [];
  return git('log', '--format=%H %T %(trailers:key=Ralph-Session,valueonly,separator=%x20)', tip)
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([commit = '', tree = '', session = '']) => (session === '' ? [] : [{ commit, tree, session }]));
}

/** Every commit that Ralph landed has a tree that a gate saw, and no session landed twice. */
export function expectProven(one: Lander): void {
  const commits = taskCommits(one);
  const seen = new Set(one.seen());
  expect(commits.filter(({ tree }) => !seen.has(tree))).toEqual([]);
  expect(new Set(commits.map(({ session }) => session)).size).toBe(commits.length);
}
