// The journal of a feature, read from the project's files; the newest session last.
import type { Project } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { type JournalEntry, numberEntries } from '../../domain/journal/journal.ts';
import { type NumberedTry, tryText } from '../../domain/tasks/tries.ts';
import { costText, duration, localTime } from '../../domain/text/amounts.ts';
import { outcomeName } from '../../domain/text/run-words.ts';
import { plural } from '../../domain/text/text.ts';
import { readJournal } from '../../project/journal/journal.ts';
import { featureDetails } from '../../queue/tasks/features.ts';
import { oneLine, paint, shortId, shortModel } from '../../text/terminal/style.ts';
import { wrap } from '../../text/terminal/wrap.ts';

export async function showJournal(
  { terminal }: CommandContext,
  { root, queue }: Project,
  feature: string,
  limit: number,
): Promise<Output> {
  const { entries, problems } = await readJournal(root, feature);
  // A removed feature may still have a journal; an unknown one is refused.
  if (entries.length === 0) await featureDetails(queue, feature);
  const shown = numberEntries(entries.map(({ entry }) => entry)).slice(-limit);
  const left = entries.length - shown.length;
  const text = [
    ...(left > 0
      ? [`${plural(left, 'earlier session')} left out; --limit ${entries.length} shows all.`]
      : []),
    ...shown.map((entry) => entryText(entry, terminal)),
    ...(shown.length === 0 ? [`The journal has no session of ${oneLine(feature)} yet.`] : []),
    ...problems.map((problem) => `! ${oneLine(problem)}`),
  ];
  return { json: { entries: shown, left_out: left, problems }, text: text.join('\n') };
}

const MAX_ITEMS = 8;

function entryText(entry: NumberedTry<JournalEntry>, { columns, color }: CommandContext['terminal']): string {
  const took = duration(Date.parse(entry.ended) - Date.parse(entry.started));
  const head = `${localTime(Date.parse(entry.ended))}  #${entry.task} ${entry.title}`;
  const facts = [
    outcomeName(entry.outcome),
    tryText(entry),
    took,
    `${entry.turns} turns`,
    costText(entry.cost_usd),
    shortModel(entry.model ?? '-'),
    shortId(entry.session),
  ];
  const commands = entry.commands.map(({ command, exit }) => `${command} → ${exit ?? '?'}`);
  const lines = [
    facts.join('  '),
    ...(entry.summary === null ? [] : [entry.summary]),
    ...itemsLine('wrote', entry.files),
    ...itemsLine('ran', commands),
    ...itemsLine('met', entry.errors),
    ...itemsLine('decided', entry.decisions),
    ...itemsLine(
      'learned',
      entry.learned.map(({ body }) => body),
    ),
  ];
  return [
    paint(oneLine(head), 'bold', color),
    ...lines.map((line) => wrap(`  ${oneLine(line)}`, columns)),
  ].join('\n');
}

function itemsLine(word: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const more = items.length > MAX_ITEMS ? `, and ${items.length - MAX_ITEMS} more` : '';
  return [`${word}: ${items.slice(0, MAX_ITEMS).join(word === 'wrote' ? ', ' : '; ')}${more}`];
}
