// What an agent without MCP can say: a tag that stands alone on its line. Anything looser would hear what is only talked about.

export type Sigil =
  | { kind: 'done'; task_id: number | null; no_change_reason?: string }
  | { kind: 'failed'; task_id: number | null }
  | { kind: 'blocked'; reason: string }
  | { kind: 'complete' }
  | { kind: 'failure' }
  | { kind: 'next_model'; model: string };

const FORMS: readonly [RegExp, (first: string, second: string) => Sigil][] = [
  [/^<task-done>\s*#?(\d{1,12})\s*<\/task-done>$/, (id) => ({ kind: 'done', task_id: Number(id) })],
  [
    /^<task-done no-change="([^"]{1,1000})">\s*#?(\d{1,12})\s*<\/task-done>$/,
    (no_change_reason, id) => ({ kind: 'done', task_id: Number(id), no_change_reason }),
  ],
  [/^<task-failed>\s*#?(\d{1,12})\s*<\/task-failed>$/, (id) => ({ kind: 'failed', task_id: Number(id) })],
  [/^<TASK_DONE>$/, () => ({ kind: 'done', task_id: null })],
  [/^<TASK_BLOCKED reason="([^"]{1,1000})">$/, (reason) => ({ kind: 'blocked', reason })],
  [/^<promise>COMPLETE<\/promise>$/, () => ({ kind: 'complete' })],
  [/^<promise>FAILURE<\/promise>$/, () => ({ kind: 'failure' })],
  [/^<next-model>\s*([\w.:-]{1,100})\s*<\/next-model>$/, (model) => ({ kind: 'next_model', model })],
];

export function sigilOf(line: string): Sigil | null {
  const text = line.trim();
  for (const [form, make] of FORMS) {
    const found = form.exec(text);
    if (found !== null) return make(found[1] ?? '', found[2] ?? '');
  }
  return null;
}

/** The model that somebody asks for in their last words; the last one, where there are more. */
export function nextModelIn(text: string): string | null {
  const found = text
    .split('\n')
    .map(sigilOf)
    .findLast((sigil) => sigil?.kind === 'next_model');
  return found?.kind === 'next_model' ? found.model : null;
}
