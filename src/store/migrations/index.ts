import { foundation } from './0001-foundation.ts';
import { server } from './0002-server.ts';
import { proof } from './0003-proof.ts';
import { knowledge } from './0004-knowledge.ts';
import { references } from './0005-references.ts';
import { doors } from './0006-doors.ts';
import { places } from './0007-places.ts';
import { noChange } from './0008-no-change.ts';
import { effort } from './0009-effort.ts';
import { people } from './0010-people.ts';
import { definitions } from './0011-definitions.ts';
import { archive } from './0012-archive.ts';
import { times } from './0013-times.ts';
import { variants } from './0014-variants.ts';
import { slots } from './0015-slots.ts';
import { flakyGates } from './0016-flaky-gates.ts';
import { evidence } from './0017-evidence.ts';
import { leases } from './0018-leases.ts';
import { notifications } from './0019-notifications.ts';
import { labels } from './0020-labels.ts';
import { claims } from './0021-claims.ts';
import { landingLine } from './0022-landing-line.ts';
import { agents } from './0023-agents.ts';
import { artifacts } from './0024-artifacts.ts';
import { pullRequests } from './0025-pull-requests.ts';
import { outboxProblems } from './0026-outbox-problems.ts';
import { parkedAgents } from './0027-parked-agents.ts';
import { pullRequestParts } from './0028-pull-request-parts.ts';
import type { Migration } from './migration.ts';

/** The position (from 1) is the version, in both databases. A shipped migration is never edited; a new one follows it. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  server,
  proof,
  knowledge,
  references,
  doors,
  places,
  noChange,
  effort,
  people,
  definitions,
  archive,
  times,
  variants,
  slots,
  flakyGates,
  evidence,
  leases,
  notifications,
  labels,
  claims,
  landingLine,
  agents,
  artifacts,
  pullRequests,
  outboxProblems,
  parkedAgents,
  pullRequestParts,
];
