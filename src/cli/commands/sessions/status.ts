import { basename } from 'node:path';
import { pendingDefinitions } from '../../../app/definitions/definitions.ts';
import { type Project, withProject } from '../../../app/open-project.ts';
import { readPlaces, slotPlace } from '../../../app/sessions/slots.ts';
import type { CommandContext } from '../../../app/world.ts';
import { type DefinitionProposal, proposalName, proposalText } from '../../../domain/definition.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { type BrokenEvidence, brokenText, unprovenText } from '../../../domain/sessions/evidence.ts';
import { type FlakyGate, flakyText } from '../../../domain/sessions/gate.ts';
import { needsMending, parkedText, type RecordedPark } from '../../../domain/sessions/parked-agents.ts';
import type { Run, Session } from '../../../domain/sessions/session.ts';
import { leftElsewhereText } from '../../../domain/sessions/session.ts';
import { activateCommand } from '../../../domain/tasks/feature.ts';
import { type Flag, flagText, isOpenBlocker } from '../../../domain/tasks/flag.ts';
import { countStates, stateName } from '../../../domain/tasks/status.ts';
import type { Question } from '../../../domain/tasks/task.ts';
import { diskSize, localTime } from '../../../domain/text/amounts.ts';
import { plural } from '../../../domain/text/text.ts';
import { currentBranch, findGit } from '../../../host/git/git-directory.ts';
import { findTrunk } from '../../../host/landing/trunk.ts';
import { countWaiting, type WaitingCommits } from '../../../host/persons-branch/waiting-commits.ts';
import { isAlive, liveness } from '../../../host/processes/process-identity.ts';
import { projectWorkTrees } from '../../../host/project.ts';
import { type NotedUse, notedUse } from '../../../host/slots/slot-size.ts';
import { openNotifications } from '../../../queue/notifications/outbox.ts';
import { flakyGates } from '../../../queue/sessions/gate-results.ts';
import { parkedAgents, sessionsLeftElsewhere } from '../../../queue/sessions/runs.ts';
import { verifyEvidence } from '../../../queue/sessions/verify-evidence.ts';
import { suggestedFiles } from '../../../queue/tasks/context-files.ts';
import { findNeeds, type Needs } from '../../../queue/tasks/needs.ts';
import { type QueueStatus, status as queueStatus } from '../../../queue/tasks/status.ts';
import { untoldLines } from '../../../text/outbox-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';

export const status = defineCommand<[]>({
  name: 'status',
  summary: 'show the state of the queue and what needs you',
  group: 'Look',
  examples: ['ralph status', 'ralph status --json'],
  run: (context) =>
    withProject(context, async (opened) => {
      const { root, stateDir, queue } = opened;
      const found = await queueStatus(queue);
      const suggested = await suggestedFiles(queue);
      const { on_hold } = await findNeeds(queue, MAX_FEATURES);
      const flaky_gates = await flakyGates(queue);
      const { unproven, broken } = await verifyEvidence(queue, { last: MAX_VERIFIED });
      const runs = found.runs.filter(isAlive);
      const parked = await parkedAgents(queue);
      const elsewhere = await sessionsLeftElsewhere(queue, isAlive, projectWorkTrees({ root, stateDir }));
      const { slots, landing } = await readLanding(context, opened);
      const definitions = await pendingDefinitions(opened);
      const untold = untoldLines(await openNotifications(queue));
      const project = found.title ?? basename(root);
      return {
        json: {
          project,
          root,
          state: stateDir,
          ...found,
          runs,
          parked,
          on_hold,
          flaky_gates,
          left_elsewhere: elsewhere,
          suggested_files: suggested,
          slots: slots.count,
          slots_bytes: slots.areAllMeasured ? slots.bytes : null,
          landing,
          unproven,
          untold,
          definitions: definitions.map((proposal) => ({
            name: proposalName(proposal),
            task_id: proposal.task_id,
            files: proposal.changes.map(({ path }) => path),
          })),
        },
        exitCode: unproven.length + broken.length > 0 ? 1 : 0,
        text: statusText({ ...found, runs }, project, stateDir, {
          suggested: suggested.length,
          elsewhere,
          parked,
          on_hold,
          slots,
          landing,
          flaky: flaky_gates,
          unproven,
          broken,
          definitions,
          untold,
        }),
      };
    }),
});

/** More than a person reads at once. */
const MAX_FEATURES = 20;
/** The newest evidence; `ralph doctor` and `ralph run` verify all of it. */
const MAX_VERIFIED = 200;

type More = {
  suggested: number;
  elsewhere: readonly Session[];
  parked: readonly RecordedPark[];
  on_hold: Needs['on_hold'];
  slots: NotedUse;
  landing: Landing | null;
  flaky: readonly FlakyGate[];
  unproven: readonly number[];
  broken: readonly BrokenEvidence[];
  definitions: readonly DefinitionProposal[];
  untold: readonly string[];
};

type Landing = WaitingCommits & { branch: string; trunk: string };

/** Starts git only if landed work waits, and reads what was noted of the slots: this command is typed often. */
async function readLanding(
  { env }: CommandContext,
  project: Project,
): Promise<{ slots: NotedUse; landing: Landing | null }> {
  const nothing = { slots: { count: 0, bytes: 0, areAllMeasured: true }, landing: null };
  try {
    const chosen = await readPlaces(project.root);
    const { repository, folder } = slotPlace(env, project, chosen);
    const slots = await notedUse({ folder });
    const git = findGit(repository.root);
    if (git === null || (chosen.branch === null && currentBranch(git) === null)) return { ...nothing, slots };
    const trunk = findTrunk(repository, chosen.branch, chosen.remote);
    const waiting = await countWaiting(repository, trunk);
    return {
      slots,
      landing: waiting === null ? null : { branch: trunk.branch, trunk: trunk.name, ...waiting },
    };
  } catch (error) {
    // The queue can be read without git, and while the configuration is wrong.
    if (error instanceof Refusal) return nothing;
    throw error;
  }
}

function statusText(
  { counts, ready, next, due, questions, flags, more_flags, runs }: QueueStatus,
  project: string,
  stateDir: string,
  more: More,
): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const shown = countStates(counts, ready);
  const lines = [
    `${oneLine(project)}  ${shown.map(([word, count]) => `${count} ${stateName(word)}`).join('  ')}${shown.length > 0 ? `  of ${total}` : 'no tasks yet'}`,
    ...runs.map(runText),
    ...more.parked.map(
      (park) => `${needsMending(park) ? 'unusable' : 'limited '}     ${oneLine(parkedText(park))}`,
    ),
    `next         ${nextText(next, due, more)}`,
    ...more.on_hold.map(
      ({ feature, status }) =>
        `on hold      tasks of ${oneLine(feature)}, which is ${status}   ${oneLine(activateCommand(feature))}`,
    ),
    `state        ${stateDir}`,
    ...(more.slots.count === 0 ? [] : [`slots        ${useText(more.slots)}   ralph slots list`]),
    ...needsYou({ counts, questions, flags }, more),
    ...forLater({ questions, flags, more_flags }, more),
  ];
  return lines.join('\n');
}

function useText({ count, bytes, areAllMeasured }: NotedUse): string {
  if (bytes === 0) return `${count}`;
  return `${count}, ${areAllMeasured ? 'about' : 'more than'} ${diskSize(bytes)}`;
}

function runText(run: Run): string {
  const { pid, started, host, heartbeat } = run;
  const line = `running      pid ${pid} since ${localTime(started)}`;
  return liveness(run) === 'unseen'
    ? `${line} on ${oneLine(host ?? 'another host')}, not seen from here; last heartbeat ${localTime(heartbeat ?? started)}`
    : line;
}

function nextText(next: QueueStatus['next'], due: number | null, { on_hold: [hold] }: More): string {
  if (next !== null) return `#${next.id} ${oneLine(next.title)}`;
  if (due !== null) return `nothing before ${localTime(due)}`;
  return hold === undefined
    ? 'nothing is ready'
    : `nothing is ready: the feature ${oneLine(hold.feature)} is ${hold.status}`;
}

/** What only a person can decide, and the command to type. */
function needsYou(
  { counts, questions, flags }: Pick<QueueStatus, 'counts' | 'questions' | 'flags'>,
  { suggested, elsewhere, landing, definitions, unproven, broken: [broken] }: More,
): string[] {
  const lines = [
    ...(unproven.length === 0 ? [] : [`  ✗ ${unprovenText(unproven)}`]),
    ...(broken === undefined ? [] : [`  ✗ ${brokenText(broken)}   ralph doctor`]),
    ...(landing === null || landing.landed === 0 ? [] : [landingLine(landing)]),
    ...questions.filter(({ blocking }) => blocking).map(questionLine),
    ...flags.filter(isOpenBlocker).map(flagLine),
    ...definitions.map(definitionsLine),
    ...elsewhere.map((session) => `  ▷ ${oneLine(leftElsewhereText(session))}`),
    ...(counts.failed > 0
      ? [`  ✗ ${counts.failed} failed   ralph list --status failed, then ralph show and ralph retry`]
      : []),
    ...(counts.blocked > 0
      ? [`  ■ ${counts.blocked} blocked   ralph list --status blocked, then ralph why`]
      : []),
    ...(counts.draft > 0
      ? [`  ~ ${plural(counts.draft, 'draft')}   ralph list --status draft, then ralph approve`]
      : []),
    ...(suggested > 0
      ? [`  ~ ${plural(suggested, 'file')} that sessions look for again and again   ralph approve --files`]
      : []),
  ];
  return lines.length === 0 ? [] : ['', 'NEEDS YOU', ...lines];
}

const definitionsLine = (proposal: DefinitionProposal): string =>
  `  ~ ${oneLine(proposalText(proposal))}   ralph approve --definitions ${proposalName(proposal)}`;

const landingLine = ({ branch, trunk, landed, own, rewritten }: Landing): string => {
  const wait = `${plural(landed, 'commit')} ${landed === 1 ? 'waits' : 'wait'} on ${oneLine(trunk)}`;
  if (rewritten) return `  ↓ ${wait} to go on top of the new ${oneLine(branch)}   ralph run`;
  return `  ↓ ${wait}${own === 0 ? '' : ', which diverged'}   ralph land`;
};

const questionLine = ({ id, task_id, question, options }: Question): string => {
  const choices = options.length === 0 ? '' : ` (${options.map(oneLine).join(', ')})`;
  return `  ? Q${id} #${task_id} ${oneLine(question)}${choices}   ralph answer ${id} "..."`;
};

const flagLine = (flag: Flag): string =>
  `  ! F${flag.id} #${flag.task_id} ${oneLine(flagText(flag))}   ralph flag close ${flag.id}`;

/** What no task waits for; it is listed until the person settles it. */
function forLater(
  { questions, flags, more_flags }: Pick<QueueStatus, 'questions' | 'flags' | 'more_flags'>,
  { flaky, untold }: More,
): string[] {
  const lines = [
    ...questions.filter(({ blocking }) => !blocking).map(questionLine),
    ...flags.filter((flag) => !isOpenBlocker(flag)).map(flagLine),
    ...(more_flags > 0 ? [`  ! ${more_flags} more flagged   ralph flag list --limit 1000`] : []),
    ...flaky.map((gate) => `  ~ ${oneLine(flakyText(gate))}`),
    ...untold.map((text) => `  ✉ ${oneLine(text)}   ralph notify send`),
  ];
  return lines.length === 0 ? [] : ['', 'FOR LATER', ...lines];
}
