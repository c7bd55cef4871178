import type { Recipe } from './recipe.ts';
import { drafts } from './sections/drafts.ts';
import { featureContext } from './sections/feature-context.ts';
import { featureFiles } from './sections/feature-files.ts';
import { enrichmentInstructions } from './sections/instructions/enrichment.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';

export const enrichment: Recipe = {
  name: 'enrichment',
  summary: 'make drafts ready to be done',
  subject: 'drafts',
  system: [],
  sections: [
    quotedText,
    projectContext,
    planningContext,
    featureContext,
    featureFiles,
    drafts,
    enrichmentInstructions,
  ],
  tools: ['enrich_task'],
};
