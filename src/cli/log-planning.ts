// A planning session, as `ralph log` shows it: it has no task, so what is known of it is its event and its stream.
import { join } from 'node:path';
import { plural } from '../domain/text.ts';
import { type Entry, entriesOf } from '../domain/transcript.ts';
import { planningDir } from '../host/project.ts';
import { readLines } from '../knowledge/read-lines.ts';
import { planningOf } from '../queue/planning.ts';
import { money } from './amounts.ts';
import type { CommandContext, Output } from './command.ts';
import type { Project } from './project.ts';
import { oneLine, timeOf } from './style.ts';
import { transcriptText } from './transcript-text.ts';

export async function showPlanning(
  { terminal, pipes, asJson }: CommandContext,
  { queue, root, stateDir }: Project,
  id: string,
): Promise<Output> {
  const planning = await planningOf(queue, id);
  const entries: Entry[] = [];
  const text = transcriptText({ terminal, root });
  if (!asJson) pipes.print(headText(id, planning));
  for await (const line of readLines(join(planningDir(stateDir, id), 'stream.jsonl')))
    for (const entry of entriesOf(line)) {
      if (asJson) entries.push(entry);
      else pipes.print(text(entry));
    }
  return { json: { session_id: id, ...planning, entries }, text: '' };
}

function headText(id: string, planning: Awaited<ReturnType<typeof planningOf>>): string {
  if (planning === null) return `Planning session ${id}, not ended\n\n`;
  const { recipe, model, usage, at } = planning;
  return `${recipe}\nsession ${id}\n${timeOf(at)}, ${oneLine(model)}, ${plural(usage.turns, 'turn')}, ${money(usage.cost_usd)}\n\n`;
}
