// A planning session in `ralph log`: it has no task, only an event and a stream.

import type { Project } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { costText, localTime } from '../../domain/text/amounts.ts';
import { plural } from '../../domain/text/text.ts';
import { type Entry, readEntries } from '../../domain/transcript/transcript.ts';
import { readLines } from '../../files/read-lines.ts';
import { planningDir, streamFile } from '../../host/session-folder.ts';
import { type EndedPlanning, listPlanningSessions } from '../../queue/planning/planning.ts';
import type { Queue } from '../../queue/queue.ts';
import { section, shortId, shortModel } from '../../text/terminal/style.ts';
import { transcriptText } from '../../text/transcript-text.ts';

export async function showPlanning(
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
export async function planningLines(queue: Queue, limit: number): Promise<string> {
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
