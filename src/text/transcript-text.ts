// A session's entries for a person. An agent or a tool wrote all of it, so control characters are made visible.
import { withoutColours } from '../domain/sessions/gate-output.ts';
import { tokens } from '../domain/text/amounts.ts';
import { plural, visible, withProjectPaths } from '../domain/text/text.ts';
import { endMark, entryLine } from '../domain/transcript/entry.ts';
import type { Entry, Excerpt } from '../domain/transcript/transcript.ts';
import type { Look } from './terminal/row.ts';
import { oneLine, paint } from './terminal/style.ts';
import { clip } from './terminal/table.ts';
import { wrap } from './terminal/wrap.ts';

export type View = { terminal: Look; root: string };

const PREVIEW_ROWS = 3;
const WRAPPED_ROWS = 8;
const INDENT = '    ';

/** An empty line separates texts; a tool call and its answer stand together. */
export function transcriptText(view: View): (entry: Entry) => string {
  let before: Entry['kind'] | null = null;
  return (entry) => {
    const text = entryText(entry, view);
    if (text === '') return '';
    const isApart =
      before !== null && (entry.kind === 'text' || entry.kind === 'result' || before === 'text');
    before = entry.kind;
    return `${isApart ? '\n' : ''}${text}\n`;
  };
}

function entryText(entry: Entry, { terminal, root }: View): string {
  const columns = Math.max(20, terminal.columns);
  const dim = (text: string): string => paint(text, 'dim', terminal.color);
  const line = (text: string): string => clip(oneLine(withProjectPaths(text, root)), columns);
  switch (entry.kind) {
    case 'started':
      return dim(line(entryLine(entry)));
    case 'text':
    case 'line':
      return `${wrap(prose(entry.text), columns)}${entry.characters > entry.text.length ? dim(cutText(entry)) : ''}`;
    case 'thought':
      return dim(preview(entry, { columns, root, mark: '~ ', isWrapped: true }));
    case 'told':
      return dim(preview(entry, { columns, root, mark: '> ', isWrapped: true }));
    case 'tool':
      return paint(line(`▸ ${entryLine(entry)}`), 'cyan', terminal.color);
    case 'answer':
      // Errors are wrapped and readable in full; of other answers the beginning of each line is enough.
      return entry.is_error
        ? paint(
            preview(entry, { columns, root, mark: `${INDENT}✗ `, isWrapped: true }),
            'red',
            terminal.color,
          )
        : dim(preview(entry, { columns, root, mark: INDENT, isWrapped: false }));
    case 'retry':
      return paint(line(`↻ ${entryLine(entry)}`), 'yellow', terminal.color);
    case 'result':
      return paint(
        line(`${endMark(entry)} ${entryLine(entry)}`),
        entry.is_error ? 'red' : 'bold',
        terminal.color,
      );
    case 'note':
      return dim(line(`· ${entryLine(entry)}`));
  }
}

/** Removes colours; makes every other control sequence visible. */
const prose = (text: string): string =>
  visible(withoutColours(text).replace(/\r\n/g, '\n').replace(/\t/g, '  '));

const cutText = ({ text, characters }: Excerpt): string =>
  `\n… ${tokens(characters - text.length)} more characters`;

type Preview = { columns: number; root: string; mark: string; isWrapped: boolean };

/** The first lines, and how much more there is. */
function preview(entry: Excerpt & { lines?: number }, { columns, root, mark, isWrapped }: Preview): string {
  if (entry.text === '') return '';
  const text = prose(withProjectPaths(entry.text, root));
  const room = columns - mark.length;
  const rows = (isWrapped ? wrap(text, room) : text).split('\n');
  const shown = rows.slice(0, isWrapped ? WRAPPED_ROWS : PREVIEW_ROWS).map((row) => clip(row, room));
  const more = (isWrapped ? rows.length : Math.max(entry.lines ?? 0, rows.length)) - shown.length;
  const isCut = entry.characters > entry.text.length;
  if (more > 0 || isCut)
    shown.push(
      `… ${more > 0 ? `${plural(more, 'more line')}, ` : ''}${tokens(entry.characters)} characters in all`,
    );
  return shown
    .map((row, index) => ((index === 0 ? mark : ' '.repeat(mark.length)) + row).trimEnd())
    .join('\n');
}
