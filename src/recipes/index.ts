import type { RecipeName } from '../domain/context.ts';
import { braindump } from './braindump.ts';
import { discuss } from './discuss.ts';
import { enrichment } from './enrichment.ts';
import { opusReview } from './opus-review.ts';
import { plan } from './plan.ts';
import { ramble } from './ramble.ts';
import type { Recipe } from './recipe.ts';
import { taskExecution } from './task-execution.ts';
import { yap } from './yap.ts';

export const RECIPES: Readonly<Record<RecipeName, Recipe>> = {
  task_execution: taskExecution,
  braindump,
  yap,
  ramble,
  discuss,
  opus_review: opusReview,
  enrichment,
  plan,
};
