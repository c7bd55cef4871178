import { createHash } from 'node:crypto';
import type { PromptContext } from '../domain/context.ts';
import type { Recipe, Section } from './recipe.ts';
import { featureContext } from './sections/feature-context.ts';
import { countTokens } from './tokens.ts';

type RenderedSection = Pick<Section, 'name' | 'question' | 'source'> & {
  bytes: number;
  tokens: number;
};

export type Prompt = {
  system: string;
  prompt: string;
  sections: readonly RenderedSection[];
  /** The hash of system and prompt. The same context gives the same bytes. */
  hash: string;
  /** The ids of the learnings in it. */
  learnings: readonly number[];
  /** Of the recipe, if this session takes part in a comparison. */
  variant: string | null;
};

export function render(recipe: Recipe, context: PromptContext): Prompt {
  const system = write(recipe.system, context);
  const prompt = write(recipe.sections, context);
  const hash = createHash('sha256').update(system.text).update('\0').update(prompt.text).digest('hex');
  return {
    system: system.text,
    prompt: prompt.text,
    sections: [...system.sections, ...prompt.sections],
    hash,
    learnings: prompt.sections.some(({ name }) => name === featureContext.name)
      ? context.learnings.map(({ id }) => id)
      : [],
    variant: null,
  };
}

function write(
  sections: readonly Section[],
  context: PromptContext,
): { text: string; sections: RenderedSection[] } {
  const texts: string[] = [];
  const rendered: RenderedSection[] = [];
  for (const { name, question, source, render: renderSection } of sections) {
    const text = renderSection(context)?.trim() ?? '';
    if (text === '') continue;
    texts.push(text);
    rendered.push({ name, question, source, bytes: Buffer.byteLength(text), tokens: countTokens(text) });
  }
  return { text: texts.length === 0 ? '' : `${texts.join('\n\n')}\n`, sections: rendered };
}
