import { add } from './add.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { braindump } from './braindump.ts';
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { doctor } from './doctor.ts';
import { edit } from './edit.ts';
import { enrich } from './enrich.ts';
import { exportCommand } from './export.ts';
import { graph } from './graph.ts';
import { importCommand } from './import.ts';
import { init } from './init.ts';
import { learn } from './learn.ts';
import { list } from './list.ts';
import { log } from './log.ts';
import { next } from './next.ts';
import { plan } from './plan.ts';
import { prompt } from './prompt.ts';
import { report } from './report.ts';
import { retry } from './retry.ts';
import { review } from './review.ts';
import { run } from './run.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';
import { show } from './show.ts';
import { skip } from './skip.ts';
import { status } from './status.ts';
import { talk } from './talk.ts';
import { trust } from './trust.ts';
import { ui } from './ui.ts';
import { why } from './why.ts';

export const COMMANDS: readonly Command[] = [
  run,
  review,
  serve,
  add,
  edit,
  plan,
  braindump,
  enrich,
  talk,
  list,
  show,
  next,
  status,
  ui,
  why,
  search,
  graph,
  log,
  report,
  prompt,
  approve,
  retry,
  skip,
  answer,
  learn,
  importCommand,
  exportCommand,
  init,
  trust,
  completion,
  doctor,
];
