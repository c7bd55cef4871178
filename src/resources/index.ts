import { discipline } from './disciplines.ts';
import { feature, features } from './features.ts';
import { files } from './files.ts';
import { flags } from './flags.ts';
import { learnings } from './learnings.ts';
import { project } from './project.ts';
import { questions } from './questions.ts';
import { queueResource } from './queue.ts';
import type { ResourceFamily } from './resource.ts';
import { search } from './search.ts';
import { session } from './sessions.ts';
import { receipt, task, taskPrompt } from './tasks.ts';

/** In the order they are listed. */
export const RESOURCES: readonly ResourceFamily[] = [
  project,
  queueResource,
  questions,
  flags,
  features,
  feature,
  learnings,
  files,
  discipline,
  task,
  taskPrompt,
  receipt,
  session,
  search,
];
