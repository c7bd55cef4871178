// What the finish of a session asks of the place where it worked: gates that pass, and a commit with the work.
import type { GateResult, Work } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { Closing } from '../../domain/sessions/signal.ts';
import type { FeatureWork } from '../../domain/tasks/feature.ts';
import type { Marker } from '../processes/reap.ts';

export type ClaimedTask = {
  session: Pick<Session, 'id' | 'base_commit'>;
  task: { id: number; title: string; feature: string | null; tags?: readonly string[] };
};

export type Baseline = { ran: readonly GateResult[]; all: readonly GateResult[] };

export type Verifier<Live extends ClaimedTask> = {
  /** The gate results before the work begins. Runs only gates without a known result. */
  runBaseline(claimed: ClaimedTask): Promise<Baseline>;
  /** Takes the tree that the gates then judge. */
  isUnchanged(claimed: ClaimedTask): Promise<boolean>;
  /** Runs the repository's hooks first, if the configuration wants that. */
  runGates(claimed: ClaimedTask, done: Closing): Promise<GateResult[]>;
  /** Commits the tree that the gates saw. */
  commit(live: Live, done: Closing, gates: readonly GateResult[]): Promise<Work>;
  /** For a feature that was finished without such a commit. */
  commitFinished(feature: FeatureWork): Promise<Work>;
};

/** What a place for sessions offers besides: it can be asked after a crash, and keeps what is not finished. */
export type WorkVerifier<Live extends ClaimedTask> = Verifier<Live> & {
  /** The commit that a session landed before its supervisor was killed; null if none. */
  landedCommit(live: ClaimedTask): Promise<string | null>;
  saveUnfinished(live: ClaimedTask): Promise<void>;
  /** The task is done: nothing of its attempts is needed any more. */
  discard(live: ClaimedTask): Promise<void>;
};

const GATE_OF = 'RALPH_GATE_OF';

/** Every gate of a session and its children carry it in their environment: they go on when Ralph is killed. */
export const gatesMarker = (session_id: string): Marker => `${GATE_OF}=${session_id}`;
