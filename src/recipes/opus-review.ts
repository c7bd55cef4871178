import type { Recipe } from './recipe.ts';
import { decisions } from './sections/decisions.ts';
import { disciplinePersona } from './sections/discipline-persona.ts';
import { featureContext } from './sections/feature-context.ts';
import { featureFiles } from './sections/feature-files.ts';
import { reviewInstructions } from './sections/instructions/review.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';
import { reviewSubject } from './sections/review-subject.ts';
import { reviewedTask } from './sections/task-details.ts';

export const opusReview: Recipe = {
  name: 'opus_review',
  summary: 'review a done task',
  subject: 'task',
  system: [],
  sections: [
    quotedText,
    projectContext,
    disciplinePersona,
    featureContext,
    decisions,
    featureFiles,
    reviewedTask,
    reviewSubject,
    reviewInstructions,
  ],
  tools: ['approve', 'request_changes'],
};
