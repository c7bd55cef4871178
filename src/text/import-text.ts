import type { ImportReport } from '../domain/exchange/backlog.ts';
import { plural } from '../domain/text/text.ts';
import { oneLine } from './terminal/style.ts';

/** Longer lists are cut. */
const MAX_NAMED = 20;

/** What was imported, how it was read, what became comments, and what was not understood. */
export function importText(report: ImportReport, file: string): string {
  const { source, board, added, updated, unchanged, features, mapped, kept, problems, gone } = report;
  const isUnchanged = added + updated + features.added + features.updated === 0;
  const name = oneLine(file);
  const format = file.endsWith(board) || board === source ? source : `${source} (${oneLine(board)})`;
  const lines = [
    isUnchanged
      ? `Imported ${name} as ${format}: nothing has changed in its ${plural(unchanged, 'task')}.`
      : `Imported ${name} as ${format}: ${plural(added, 'task')} added, ${updated} changed, ${unchanged} unchanged${featuresText(features)}.`,
    ...(isUnchanged ? [] : [countsLine('Read as', mapped), countsLine('Kept as comments', kept)]),
    gone.length === 0
      ? ''
      : `No longer in the file, but still in the queue: ${gone
          .slice(0, MAX_NAMED)
          .map((id) => `#${id}`)
          .join(' ')}${gone.length > MAX_NAMED ? ' and more' : ''}`,
    ...(problems.length === 0 ? [] : ['Not understood, or left out:']),
    ...problems.slice(0, MAX_NAMED).map((problem) => `  ${oneLine(problem)}`),
    problems.length > MAX_NAMED ? `  and ${problems.length - MAX_NAMED} more: --json names them all` : '',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

const featuresText = ({ added, updated }: ImportReport['features']): string =>
  added + updated === 0 ? '' : `; ${plural(added, 'feature')} added, ${updated} changed`;

function countsLine(label: string, counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return entries.length === 0
    ? ''
    : `${label}: ${entries.map(([name, count]) => `${oneLine(name)} (${count})`).join(', ')}`;
}
