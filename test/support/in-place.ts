// Sessions that work in the checkout, without a queue: what the supervisor does with git before, after and around them.
import type { Config } from '../../src/domain/config.ts';
import type { GateResult, Work } from '../../src/domain/sessions/gate.ts';
import type { FeatureWork } from '../../src/domain/tasks/feature.ts';
import { type Checkout, lookAtCheckout } from '../../src/host/in-place/checkout.ts';
import { type OpenedCheckout, openInPlace, takeOutWork } from '../../src/host/in-place/open-session.ts';
import { createInPlaceVerifier } from '../../src/host/in-place/verifier.ts';
import type { ClaimedTask, WorkVerifier } from '../../src/host/landing/verifier.ts';
import { readSessionWork } from '../../src/host/landing/work-refs.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { DONE } from './landing.ts';
import type { TestRepository } from './slots.ts';

export type InPlaceSession = { claim: ClaimedTask; opened: OpenedCheckout };

export type InPlace = {
  checkout: Checkout;
  verifier: WorkVerifier<ClaimedTask>;
  /** A session of the task begins; throws if the checkout is dirty. */
  start(task_id: number, feature?: string): Promise<InPlaceSession>;
  /** What the supervisor does after a done. */
  land(session: InPlaceSession): Promise<{ gates: GateResult[]; work: Work | null }>;
  /** What the supervisor does after an end without a done. */
  leave(session: InPlaceSession): Promise<void>;
};

export type InPlaceOptions = {
  config?: Partial<Config>;
  gate?: string;
  feature?: FeatureWork | null;
  isRecovery?: boolean;
  uncommitted?: readonly number[];
  ownFiles?: readonly string[];
};

export async function inPlace(
  { place }: Pick<TestRepository, 'place'>,
  {
    config = {},
    gate = 'true',
    feature = null,
    uncommitted = [],
    ownFiles = [],
    isRecovery = false,
  }: InPlaceOptions = {},
): Promise<InPlace> {
  const test = {
    name: 'test',
    command: gate,
    required: true,
    timeout_seconds: 60,
    max_output_mb: 1,
    expect: null,
    flaky: 'fail',
  } as const;
  const chosen: Config = { ...(await readConfig(place.root)), gates: [test], ...config };
  const checkout: Checkout = { place, policy: chosen.commit, ownFiles };
  const verifier = createInPlaceVerifier<ClaimedTask>({
    checkout,
    isRecovery,
    config: chosen,
    knownGates: async () => [],
    secrets: { questions: async () => [], allowed: async () => () => false },
    accepted: [],
    featureWork: async () => feature,
    uncommittedTasks: async () => uncommitted,
    sessionsOf: async () => [],
    onWork: async () => {},
    onUnsigned: () => {},
  });
  const isRed = (gates: readonly GateResult[]): boolean => gates.some(({ passed }) => !passed);
  return {
    checkout,
    verifier,
    start: async (task_id, name) => {
      const standing = await lookAtCheckout(checkout);
      if (standing.kind === 'dirty') throw new Error(`dirty: ${standing.files.join(' ')}`);
      const id = crypto.randomUUID();
      const opened = await openInPlace(place, { session_id: id, task_id, base: standing.base });
      const task = { id: task_id, title: `Task ${task_id}`, feature: name ?? null };
      return { claim: { task, session: { id, base_commit: standing.base } }, opened };
    },
    land: async ({ claim }) => {
      const gates = await verifier.runGates(claim, DONE);
      return { gates, work: isRed(gates) ? null : await verifier.commit(claim, DONE, gates) };
    },
    leave: async ({ claim }) => {
      await verifier.saveUnfinished(claim);
      const work = await readSessionWork(place, claim.session.id);
      if (work !== null)
        await takeOutWork(place, { session_id: claim.session.id, task_id: claim.task.id }, work);
    },
  };
}
