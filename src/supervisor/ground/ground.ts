// Where the sessions of a run work, and how their work gets onto a branch: in slots, or in the checkout itself.

import type { KnownGate } from '../../domain/sessions/gate.ts';
import type { SecretRules } from '../../host/commits/scan-secrets.ts';
import type { GateListeners } from '../../host/gates/watch-gates.ts';
import type { Verifier } from '../../host/landing/verifier.ts';
import type { Inside } from '../../host/sandbox/inside.ts';
import type { Effects } from '../../queue/sessions/finish.ts';
import type { LiveSession } from '../../queue/sessions/live-session.ts';
import type { Claim } from '../../queue/tasks/claim.ts';

/** What a session finds when its agent starts. */
export type OpenedGround = {
  /** The folder in which the agent works. */
  root: string;
  slot: number | null;
  /** What the agent finds in its sandbox. */
  inside: Inside;
  /** Variables for the agent. */
  env: Readonly<Record<string, string>>;
  /** The tree before the agent; null if Ralph does not know it. */
  tree: string | null;
};

/** What the finish of a session asks of its ground. */
export type GroundEffects = Verifier<LiveSession> &
  Required<Pick<Effects, 'saveUnfinished' | 'settled'>> &
  Pick<Effects, 'saveLost'> & {
    /** How the session changed what judges it, in words for a person; null if it did not. */
    findTampering(live: LiveSession): Promise<string | null>;
    /** True if the session's work is on its branch already, though it was never settled. */
    hasLanded(live: LiveSession): Promise<boolean>;
    /** Where a reviewer finds the work; undefined if that is the checkout. */
    reviewGround(
      live: LiveSession,
    ): { root: string; inside: Inside; takeTree(): Promise<string | null> } | undefined;
    /** Lets others land, for instance while a reviewer reads. */
    pauseLanding(session_id: string): void;
  };

export type EffectsInput = GateListeners & {
  /** Whether sessions of dead runs are finished, before any other begins. */
  isRecovery: boolean;
  /** Whether the checkout follows beside what comes after a landing. A client is told at once whether it has. */
  followsBeside?: boolean;
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  secrets: SecretRules;
  onUnsigned(reason: string): void;
};

export type BaselineInput = GateListeners & {
  run_id: number;
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  stop: AbortSignal;
};

export type GroundKind = 'slots' | 'checkout';

export type Ground = {
  readonly kind: GroundKind;
  /** How many sessions can work at the same time. */
  readonly jobs: number;
  /** Why no session can begin, as a sentence for the person; null if one can. */
  whyNotReady(): Promise<string | null>;
  /** The commit that the next session starts from; null without git. */
  tip(): Promise<string | null>;
  /** Before sessions of dead runs are finished: ends what they left on the machine. */
  beforeRecovery(): Promise<void>;
  afterRecovery(): Promise<void>;
  /** Null if the gates would say nothing about the state before the first session. */
  runBaseline(input: BaselineInput): Promise<KnownGate[] | null>;
  /** Prepares the files of a session: those of its base, and the task's unfinished work. */
  open(claim: Claim): Promise<OpenedGround>;
  /** Whether the files that the session starts with would be judged by other rules than a person trusted. */
  isTampered(claim: Claim): Promise<boolean>;
  /** While its agent works: what the session has made so far is safe elsewhere, as often as the configuration says. */
  shareWhileAtWork(claim: Claim): { stop(): Promise<void> };
  /** An agent is at work, or no session can start: there is time for what no session waits for. */
  beginBackground(): void;
  afterAgent(claim: Claim): Promise<void>;
  /** Whether the session's files differ from the tree before. True if Ralph cannot tell. */
  hasChanged(claim: Claim, before: string | null): Promise<boolean>;
  effects(input: EffectsInput): GroundEffects;
  /** The session is over: others may use its place. */
  close(claim: Claim): Promise<void>;
  /** The run is over. */
  end(): Promise<void>;
  /** Gives back what the ground holds. `end` does so as well; a run that failed does nothing else. */
  release(): Promise<void>;
};

/** Once: after the first time, another process may have taken what was given back. */
export function releaseOnce(release: () => Promise<void>): () => Promise<void> {
  let released: Promise<void> | null = null;
  return () => {
    released ??= release();
    return released;
  };
}
