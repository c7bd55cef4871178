// The work of a task in a prompt: as a diff up to the budget, the rest by name.
import type { FileChange, PromptContext } from '../domain/context.ts';
import { code, fence, line } from '../domain/text/markdown.ts';
import { truncate } from '../domain/text/text.ts';
import { countTokens } from './tokens.ts';

/** The other half is left for the files that the prompt contains. */
const SHARE = 0.5;
const MAX_NAMED = 100;
const MAX_PATH = 200;

type Shown = { shown: readonly FileChange[]; named: readonly FileChange[]; tokens: number };

/** Small changes before large ones: so the most files are shown, and one large file hides no other. */
export function chooseChanges({
  changes,
  budget_tokens,
}: Pick<PromptContext, 'changes' | 'budget_tokens'>): Shown {
  const shown = new Set<FileChange>();
  let tokens = 0;
  for (const { change, size } of bySize(changes ?? [])) {
    if (tokens + size > budget_tokens * SHARE) break;
    tokens += size;
    shown.add(change);
  }
  const all = changes ?? [];
  return {
    shown: all.filter((change) => shown.has(change)),
    named: all.filter((change) => !shown.has(change)),
    tokens,
  };
}

const bySize = (changes: readonly FileChange[]): { change: FileChange; size: number }[] =>
  changes
    .flatMap((change) =>
      change.diff.kind === 'text' ? [{ change, size: countTokens(change.diff.text) }] : [],
    )
    .sort((a, b) => a.size - b.size);

/** Null if nothing changed, or Ralph does not know. */
export function changesText(context: Pick<PromptContext, 'changes' | 'budget_tokens'>): string | null {
  const { shown, named } = chooseChanges(context);
  const diff = shown.map(diffText).join('');
  const parts = [
    ...(shown.length === 0 ? [] : [fence(diff, 'diff')]),
    ...(named.length === 0 ? [] : [`Also changed, but not shown here:\n\n${names(named)}`]),
  ];
  return parts.length === 0 ? null : parts.join('\n\n');
}

const diffText = ({ diff }: FileChange): string => (diff.kind === 'text' ? diff.text : '');

function names(all: readonly FileChange[]): string {
  const more = all.length - MAX_NAMED;
  return [...all.slice(0, MAX_NAMED).map(nameLine), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

const nameLine = ({ path, kind, diff }: FileChange): string =>
  `- ${code(truncate(line(path), MAX_PATH))}: ${kind} (${diff.kind === 'withheld' ? diff.reason : lineCounts(diff.text)})`;

function lineCounts(diff: string): string {
  const count = (sign: RegExp): number => diff.match(sign)?.length ?? 0;
  return `${count(/^\+(?!\+\+ )/gm)} lines added, ${count(/^-(?!-- )/gm)} removed`;
}
