import type { Command } from './command.ts';

/** In the order of the help. Each is loaded when it is asked for: most starts need one of them. */
const LOAD: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./run.ts')).run,
  review: async () => (await import('./review.ts')).review,
  serve: async () => (await import('./serve.ts')).serve,
  add: async () => (await import('./add.ts')).add,
  edit: async () => (await import('./edit.ts')).edit,
  plan: async () => (await import('./plan.ts')).plan,
  braindump: async () => (await import('./braindump.ts')).braindump,
  enrich: async () => (await import('./enrich.ts')).enrich,
  talk: async () => (await import('./talk.ts')).talk,
  list: async () => (await import('./list.ts')).list,
  show: async () => (await import('./show.ts')).show,
  next: async () => (await import('./next.ts')).next,
  status: async () => (await import('./status.ts')).status,
  ui: async () => (await import('./ui.ts')).ui,
  why: async () => (await import('./why.ts')).why,
  search: async () => (await import('./search.ts')).search,
  graph: async () => (await import('./graph.ts')).graph,
  log: async () => (await import('./log.ts')).log,
  report: async () => (await import('./report.ts')).report,
  prompt: async () => (await import('./prompt.ts')).prompt,
  approve: async () => (await import('./approve.ts')).approve,
  retry: async () => (await import('./retry.ts')).retry,
  skip: async () => (await import('./skip.ts')).skip,
  answer: async () => (await import('./answer.ts')).answer,
  learn: async () => (await import('./learn.ts')).learn,
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  init: async () => (await import('./init.ts')).init,
  trust: async () => (await import('./trust.ts')).trust,
  completion: async () => (await import('./completion.ts')).completion,
  doctor: async () => (await import('./doctor.ts')).doctor,
};

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(LOAD).map((load) => load()));

/** The one of this name; all of them where there is none, for the help and for what was probably meant. */
export async function commandsFor(word = ''): Promise<readonly Command[]> {
  const load = Object.hasOwn(LOAD, word) ? LOAD[word] : undefined;
  return load === undefined ? allCommands() : [await load()];
}
