import { Argument, Option } from 'commander';
import { type Project, withQueue } from '../../../app/open-project.ts';
import { findPlannings } from '../../../app/saved-proposal.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { costText, localTime } from '../../../domain/text/amounts.ts';
import { plural } from '../../../domain/text/text.ts';
import { type Entry, readEntries } from '../../../domain/transcript/transcript.ts';
import { readLines } from '../../../files/read-lines.ts';
import { isAlive } from '../../../host/processes/process-identity.ts';
import { planningDir, streamFile } from '../../../host/session-folder.ts';
import { type EndedPlanning, listPlanningSessions } from '../../../queue/planning/planning.ts';
import type { Queue } from '../../../queue/queue.ts';
import { orphanedTasks } from '../../../queue/sessions/runs.ts';
import { listSessions, resolveSessionId, type SessionFilter } from '../../../queue/sessions/sessions.ts';
import { sessionTable } from '../../../text/session-text.ts';
import { section, shortId, shortModel } from '../../../text/terminal/style.ts';
import { transcriptText } from '../../../text/transcript-text.ts';
import { defineCommand } from '../../command.ts';
import { showLog } from '../../log/session.ts';
import { parseId } from '../../parse.ts';

/** Planning sessions are few, and only the latest matter. */
const MAX_PLANNINGS = 5;

type LogOptions = {
  follow?: boolean;
  gate?: string;
  run?: number;
  task?: number;
  feature?: string;
  limit: number;
};

export const log = defineCommand<[session: string | undefined], LogOptions>({
  name: 'log',
  summary: 'list the latest sessions, or show what happened in one of them',
  group: 'Look',
  args: [new Argument('[session]', 'id of the session, or a unique beginning of it')],
  options: [
    new Option(
      '--follow',
      'print new entries until the session ends; without an id, of the session that is running',
    ),
    new Option('--gate <name>', 'print the log of this gate of the session, whichever machine ran it'),
    new Option('--run <n>', 'only the sessions of this run').argParser(parseId),
    new Option('--task <id>', 'only the sessions of this task').argParser(parseId),
    new Option(
      '--feature <name>',
      'show the journal of this feature: what its sessions did, which errors they met, what they decided',
    ),
    new Option('--limit <n>', 'list at most this many').argParser(parseId).default(20),
  ],
  examples: [
    'ralph log',
    'ralph log 3f2a',
    'ralph log --follow',
    'ralph log 3f2a --gate test',
    'ralph log --task 7',
    'ralph log --feature auth',
    'ralph log 3f2a --json',
  ],
  run: (context, [name], { follow = false, gate, run, task, feature, limit }) =>
    withQueue(context, async (project) => {
      if (feature !== undefined) {
        if (name !== undefined || follow || run !== undefined || task !== undefined)
          throw new Refusal('--feature shows a journal; give no session, --follow, --run or --task with it.');
        const { showJournal } = await import('../../log/journal.ts');
        return showJournal(context, project, feature, limit);
      }
      if (gate !== undefined) {
        if (name === undefined || follow)
          throw new Refusal('--gate shows one log; give its session, and no --follow.');
        const { showGateLog } = await import('../../log/gate-log.ts');
        return showGateLog(context, project, await resolveSessionId(project.queue, name), gate);
      }
      const { queue } = project;
      const filter = {
        ...(run !== undefined && { run_id: run }),
        ...(task !== undefined && { task_id: task }),
      };
      const [planning, second] = name === undefined ? [] : await findPlannings(project.stateDir, name);
      if (planning !== undefined && second === undefined) return showPlanning(context, project, planning);
      if (name !== undefined || follow)
        return showLog(context, project, await chooseSession(queue, name, filter), follow);
      const { sessions, total } = await listSessions(queue, filter, limit);
      const isAll = run === undefined && task === undefined;
      const planned = isAll ? await planningLines(queue, MAX_PLANNINGS) : '';
      const left = await orphanedTasks(queue, isAlive);
      return { json: sessions, text: `${sessionTable(sessions, total, context, left)}${planned}` };
    }),
});

async function chooseSession(queue: Queue, name: string | undefined, filter: SessionFilter): Promise<string> {
  if (name === undefined) return runningSession(queue, filter);
  if (Object.keys(filter).length > 0) throw new Refusal('Give a session, or --run and --task; not both.');
  return resolveSessionId(queue, name);
}

async function runningSession(queue: Queue, filter: SessionFilter): Promise<string> {
  const { sessions } = await listSessions(queue, { ...filter, isOpen: true }, 1);
  const [session] = sessions;
  if (session === undefined)
    throw new Refusal(
      'No session is running; ralph log lists the earlier ones, ralph log SESSION shows one.',
    );
  return session.id;
}

// A planning session in `ralph log`: it has no task, only an event and a stream.

async function showPlanning(
  { terminal, pipes, asJson }: CommandContext,
  { queue, root, stateDir }: Project,
  id: string,
): Promise<Output> {
  const [planning = null] = await listPlanningSessions(queue, 1, id);
  const entries: Entry[] = [];
  const text = transcriptText({ terminal, root });
  if (!asJson) pipes.print(headText(id, planning));
  for await (const line of readLines(streamFile(planningDir(stateDir, id))))
    for (const entry of readEntries(line)) {
      if (asJson) entries.push(entry);
      else pipes.print(text(entry));
    }
  return { json: { session_id: id, ...planning, entries }, text: '' };
}

/** The latest ones, as lines below the sessions of tasks; empty if there were none. */
async function planningLines(queue: Queue, limit: number): Promise<string> {
  const lines = (await listPlanningSessions(queue, limit)).map(({ session_id, recipe, ...rest }) =>
    [shortId(session_id), recipe.padEnd(10), planningFacts(rest)].join('  '),
  );
  const shown = section('Planning', lines);
  return shown === null ? '' : `\n\n${shown}`;
}

const planningFacts = ({ at, model, usage }: Pick<EndedPlanning, 'at' | 'model' | 'usage'>): string =>
  `${localTime(at)}, ${shortModel(model)}, ${plural(usage.turns, 'turn')}, ${costText(usage.cost_usd)}`;

function headText(id: string, planning: EndedPlanning | null): string {
  if (planning === null) return `Planning session ${id}, not ended\n\n`;
  return `${planning.recipe}\nsession ${id}\n${planningFacts(planning)}\n\n`;
}
