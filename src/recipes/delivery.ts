// Decides once for the whole prompt which files it contains and which become links.
import type { ContextFile, PromptContext } from '../domain/context.ts';
import { chooseChanges } from './changes.ts';
import { countTokens } from './tokens.ts';

export type Delivery = { injected: readonly ContextFile[]; linked: readonly ContextFile[] };

/** `auto` injects files up to what the task's changes leave of the budget: the task's own before the feature's, small before large. */
export function deliver(context: PromptContext): Delivery {
  const { files, delivery, budget_tokens } = context;
  const readable = files.filter(isText);
  if (delivery === 'inject') return { injected: readable, linked: [] };
  if (delivery === 'resources') return { injected: [], linked: readable };
  const injected = new Set<ContextFile>();
  let left = budget_tokens - chooseChanges(context).tokens;
  for (const { file, tokens } of bySize(readable)) {
    if (tokens > left) continue;
    left -= tokens;
    injected.add(file);
  }
  return {
    injected: readable.filter((file) => injected.has(file)),
    linked: readable.filter((file) => !injected.has(file)),
  };
}

type TextFile = ContextFile & { content: { kind: 'text' } };
const isText = (file: ContextFile): file is TextFile => file.content.kind === 'text';

function bySize(files: readonly TextFile[]): { file: TextFile; tokens: number }[] {
  return files
    .map((file) => ({ file, tokens: countTokens(file.content.text) }))
    .sort((a, b) => levelOrder(a.file) - levelOrder(b.file) || a.tokens - b.tokens);
}

const levelOrder = ({ level }: ContextFile): number => (level === 'task' ? 0 : 1);
