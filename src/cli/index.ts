import type { Command } from './command.ts';

/** In the order of the help. Most starts need one command, so each is loaded on demand. */
const LOAD: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.ts')).run,
  land: async () => (await import('./commands/land.ts')).land,
  review: async () => (await import('./commands/review.ts')).review,
  serve: async () => (await import('./commands/serve.ts')).serve,
  add: async () => (await import('./commands/add.ts')).add,
  edit: async () => (await import('./commands/edit.ts')).edit,
  feature: async () => (await import('./commands/feature.ts')).feature,
  discipline: async () => (await import('./commands/discipline.ts')).discipline,
  plan: async () => (await import('./commands/plan.ts')).plan,
  braindump: async () => (await import('./commands/braindump.ts')).braindump,
  enrich: async () => (await import('./commands/enrich.ts')).enrich,
  talk: async () => (await import('./commands/talk.ts')).talk,
  list: async () => (await import('./commands/list.ts')).list,
  show: async () => (await import('./commands/show.ts')).show,
  next: async () => (await import('./commands/next.ts')).next,
  status: async () => (await import('./commands/status.ts')).status,
  ui: async () => (await import('./commands/ui.ts')).ui,
  why: async () => (await import('./commands/why.ts')).why,
  search: async () => (await import('./commands/search.ts')).search,
  graph: async () => (await import('./commands/graph.ts')).graph,
  log: async () => (await import('./commands/log.ts')).log,
  diff: async () => (await import('./commands/diff.ts')).diff,
  report: async () => (await import('./commands/report.ts')).report,
  recipe: async () => (await import('./commands/recipe.ts')).recipe,
  prompt: async () => (await import('./commands/prompt.ts')).prompt,
  approve: async () => (await import('./commands/approve.ts')).approve,
  retry: async () => (await import('./commands/retry.ts')).retry,
  skip: async () => (await import('./commands/skip.ts')).skip,
  remove: async () => (await import('./commands/remove.ts')).remove,
  answer: async () => (await import('./commands/answer.ts')).answer,
  flag: async () => (await import('./commands/flag.ts')).flag,
  comment: async () => (await import('./commands/comment.ts')).comment,
  learn: async () => (await import('./commands/learn.ts')).learn,
  files: async () => (await import('./commands/files.ts')).files,
  import: async () => (await import('./commands/import.ts')).importCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  init: async () => (await import('./commands/init.ts')).init,
  trust: async () => (await import('./commands/trust.ts')).trust,
  slots: async () => (await import('./commands/slots.ts')).slots,
  completion: async () => (await import('./commands/completion.ts')).completion,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
};

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(LOAD).map((load) => load()));

/** The command of this name; all commands if there is none, for the help and for "did you mean". */
export async function commandsFor(word = ''): Promise<readonly Command[]> {
  const load = Object.hasOwn(LOAD, word) ? LOAD[word] : undefined;
  return load === undefined ? allCommands() : [await load()];
}
