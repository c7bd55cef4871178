// The tags by which an agent without MCP reports. A tag may stand anywhere on a line, but one that the agent only quotes is
// none: prompts, files and explanations mention tags, too.

export type Sigil =
  | { kind: 'done'; task_id: number | null; no_change_reason?: string }
  | { kind: 'failed'; task_id: number | null }
  | { kind: 'blocked'; reason: string }
  | { kind: 'complete' }
  | { kind: 'failure' }
  | { kind: 'next_model'; model: string };

export type Tag = {
  text: string;
  /** Null if it has the form of a tag, but not one that Ralph knows. */
  sigil: Sigil | null;
  /** Whether it is in a quotation, between back-ticks or in a block of code. */
  isQuoted: boolean;
  /** The index of its line. */
  line: number;
};

/** Bounded in every part: it is applied to whatever an agent prints. */
const ATTRIBUTES = '(?:"[^"]{0,1000}"|[^"<>]){0,40}';
const TAG = new RegExp(
  `<(task-done|task-failed|promise|next-model)\\b${ATTRIBUTES}>[^<]{0,200}</\\1>|<TASK_DONE>|<TASK_BLOCKED\\b${ATTRIBUTES}>`,
  'g',
);

const FORMS: readonly [RegExp, (first: string, second: string) => Sigil][] = [
  [/^<task-done>\s*#?(\d{1,12})\s*<\/task-done>$/, (id) => ({ kind: 'done', task_id: Number(id) })],
  [
    /^<task-done no-change="([^"]{1,1000})">\s*#?(\d{1,12})\s*<\/task-done>$/,
    (no_change_reason, id) => ({ kind: 'done', task_id: Number(id), no_change_reason }),
  ],
  [/^<task-failed>\s*#?(\d{1,12})\s*<\/task-failed>$/, (id) => ({ kind: 'failed', task_id: Number(id) })],
  [/^<TASK_DONE>$/, () => ({ kind: 'done', task_id: null })],
  [/^<TASK_BLOCKED reason="([^"]{1,1000})">$/, (reason) => ({ kind: 'blocked', reason })],
  [/^<promise>\s*COMPLETE\s*<\/promise>$/, () => ({ kind: 'complete' })],
  [/^<promise>\s*FAILURE\s*<\/promise>$/, () => ({ kind: 'failure' })],
  [/^<next-model>\s*([\w.:-]{1,100})\s*<\/next-model>$/, (model) => ({ kind: 'next_model', model })],
];

function parseTag(text: string): Sigil | null {
  for (const [form, make] of FORMS) {
    const found = form.exec(text);
    if (found !== null) return make(found[1] ?? '', found[2] ?? '');
  }
  return null;
}

export function findTags(lines: readonly string[]): Tag[] {
  const code = codeLines(lines);
  return lines.flatMap((line, index) => {
    const isQuotation = code.has(index) || /^\s*>/.test(line);
    return [...line.matchAll(TAG)].map((found) => ({
      text: found[0],
      sigil: parseTag(found[0]),
      isQuoted: isQuotation || isBetweenTicks(line, found.index, found.index + found[0].length),
      line: index,
    }));
  });
}

/** The line as text for people: without the tags that it does not quote. */
export const withoutTags = (line: string): string =>
  findTags([line])
    .filter(({ isQuoted }) => !isQuoted)
    .reduce((text, tag) => text.replace(tag.text, ''), line);

/** Marks each line that has a tag as a quotation: an agent may echo its prompt, and must not report by that. */
export const quoteTags = (text: string): string =>
  text
    .split('\n')
    .map((line) => (findTags([line]).some(({ isQuoted }) => !isQuoted) ? `> ${line}` : line))
    .join('\n');

/** The model that the agent asks for in this text; the last one, if it names several. */
export function nextModelIn(lines: readonly string[]): string | null {
  const models = findTags(lines).flatMap(({ sigil, isQuoted }) =>
    sigil?.kind === 'next_model' && !isQuoted ? [sigil.model] : [],
  );
  return models.at(-1) ?? null;
}

function isBetweenTicks(line: string, start: number, end: number): boolean {
  const before = line.slice(0, start).match(/`+/g)?.length ?? 0;
  return before % 2 === 1 && line.includes('`', end);
}

/** Fences that are never closed are ignored: the output of an agent need not be Markdown. */
function codeLines(lines: readonly string[]): ReadonlySet<number> {
  const code = new Set<number>();
  let open: { fence: string; line: number } | null = null;
  lines.forEach((text, line) => {
    const [, fence = '', rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(text) ?? [];
    if (fence === '') return;
    if (open === null) open = { fence, line };
    else if (fence.startsWith(open.fence) && rest.trim() === '') {
      for (let within = open.line; within <= line; within += 1) code.add(within);
      open = null;
    }
  });
  return code;
}
