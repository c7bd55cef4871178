// Where the sessions of a run work, and how their work gets onto a branch: in slots, or in the checkout itself.

import type { KnownGate } from '../../domain/sessions/gate.ts';
import type { SecretRules } from '../../host/commits/scan-secrets.ts';
import type { GateListeners } from '../../host/gates/watch-gates.ts';
import type { TakenTree } from '../../host/git/work-tree.ts';
import type { Inside } from '../../host/sandbox/inside.ts';
import type { Verifier } from '../../host/verify.ts';
import type { Effects } from '../../queue/sessions/finish.ts';
import type { LiveSession } from '../../queue/sessions/live-session.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import type { AgentEnd } from '../agents/session-end.ts';

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
  Required<Pick<Effects, 'saveUnfinished' | 'settled'>> & {
    /** How the session changed what judges it, in words for a person; null if it did not. */
    findTampering(live: LiveSession): Promise<string | null>;
    /** Undoes what the agent of a dead run did to the person's branch. */
    undoMoves(live: Pick<LiveSession, 'session'>): Promise<void>;
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
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  secrets: SecretRules;
  onTaken(tree: TakenTree): void;
  onUnsigned(reason: string): void;
};

export type BaselineInput = GateListeners & {
  run_id: number;
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  stop: AbortSignal;
};

export type Ground = {
  /** How many sessions can work at the same time. */
  readonly jobs: number;
  /** The commit that the next session starts from; null without git. */
  tip(): Promise<string | null>;
  /** Before sessions of dead runs are finished: ends what they left on the machine. */
  beforeRecovery(): Promise<void>;
  afterRecovery(): Promise<void>;
  /** Null if the gates would say nothing about the state before the first session. */
  runBaseline(input: BaselineInput): Promise<KnownGate[] | null>;
  /** Prepares the files of a session: those of its base, and the task's unfinished work. */
  open(claim: Claim, known: TakenTree | null): Promise<OpenedGround>;
  /** The files of the session as a tree; null without git. */
  takeTree(claim: Claim): Promise<string | null>;
  /** Whether the files that the session starts with would be judged by other rules than a person trusted. */
  isTampered(claim: Claim): Promise<boolean>;
  beforeAgent(claim: Claim): Promise<void>;
  afterAgent(claim: Claim, end: AgentEnd): Promise<void>;
  /** `after`: the tree now, if Ralph has just taken it. True if Ralph cannot tell. */
  hasChanged(claim: Claim, before: string | null, end: AgentEnd, after?: string | null): Promise<boolean>;
  effects(input: EffectsInput): GroundEffects;
  /** The session is over: others may use its place. */
  close(claim: Claim): Promise<void>;
  /** The run is over. */
  end(): Promise<void>;
};
