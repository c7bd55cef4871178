// The message of a commit. An agent wrote the title and the summary, so neither may say what only Ralph says: its trailers.
import { withoutSecrets } from '../secrets/secret-text.ts';
import { folded, visible } from '../text/text.ts';

export type CommitMessage = {
  title: string;
  summary: string;
  /** In this order; one key may come several times. */
  trailers: readonly (readonly [key: string, value: string])[];
};

export function commitMessage({ title, summary, trailers }: CommitMessage): string {
  const subject = quoted(folded(visible(withoutSecrets(title))));
  const body = bodyOf(withoutSecrets(summary));
  const parts = [
    subject === '' ? 'Untitled' : subject,
    ...(body === '' ? [] : [trailers.length === 0 ? withoutLastBlock(body) : body]),
    ...(trailers.length === 0 ? [] : [trailers.map(trailerLine).join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const bodyOf = (text: string): string =>
  visible(text.replace(/\r\n?|[\u2028\u2029]/g, '\n'))
    .split('\n')
    .map((line) => quoted(line).trimEnd())
    .join('\n')
    .replace(/^\n+|\n+$/g, '');

const quoted = (line: string): string => (isTakenForMore(line) ? `> ${line}` : line);

/** `Signed-off-by: x` counts for some tools wherever it stands. Behind `---` and the scissors git reads no trailer at all. */
const isTakenForMore = (line: string): boolean =>
  /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+\s*:/.test(line) ||
  /^(?:cc|fixes|closes|link)\s*:/i.test(line) ||
  /^\(cherry picked from commit /.test(line) ||
  line.startsWith('---') ||
  /^\S{1,4} -+ >8 -+/.test(line);

/** The last paragraph is read as trailers where no others follow it, so none of its lines may look like one. */
function withoutLastBlock(body: string): string {
  const start = body.lastIndexOf('\n\n') + 1;
  const last = body.slice(start).replace(/^(?=[A-Za-z0-9-]+\s*:)/gm, '> ');
  return body.slice(0, start) + last;
}

function trailerLine([key, value]: readonly [string, string]): string {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(key)) throw new Error(`"${key}" is no key of a trailer`);
  return `${key}: ${folded(visible(value))}`;
}
