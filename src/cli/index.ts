import type { Command } from './command.ts';

/** In the order of the help. Most starts need one command, so each is loaded on demand. */
const LOAD: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/sessions/run.ts')).run,
  worker: async () => (await import('./commands/sessions/worker.ts')).worker,
  land: async () => (await import('./commands/sessions/land.ts')).land,
  review: async () => (await import('./commands/sessions/review.ts')).review,
  serve: async () => (await import('./commands/setup/serve.ts')).serve,
  mcp: async () => (await import('./commands/setup/mcp.ts')).mcp,
  add: async () => (await import('./commands/tasks/add.ts')).add,
  edit: async () => (await import('./commands/tasks/edit.ts')).edit,
  feature: async () => (await import('./commands/knowledge/feature.ts')).feature,
  discipline: async () => (await import('./commands/knowledge/discipline.ts')).discipline,
  plan: async () => (await import('./commands/planning/plan.ts')).plan,
  braindump: async () => (await import('./commands/planning/braindump.ts')).braindump,
  enrich: async () => (await import('./commands/planning/enrich.ts')).enrich,
  talk: async () => (await import('./commands/planning/talk.ts')).talk,
  list: async () => (await import('./commands/tasks/list.ts')).list,
  show: async () => (await import('./commands/tasks/show.ts')).show,
  next: async () => (await import('./commands/tasks/next.ts')).next,
  status: async () => (await import('./commands/sessions/status.ts')).status,
  statusline: async () => (await import('./commands/setup/statusline.ts')).statusline,
  ui: async () => (await import('./commands/setup/ui.ts')).ui,
  why: async () => (await import('./commands/tasks/why.ts')).why,
  search: async () => (await import('./commands/knowledge/search.ts')).search,
  graph: async () => (await import('./commands/tasks/graph.ts')).graph,
  log: async () => (await import('./commands/sessions/log.ts')).log,
  diff: async () => (await import('./commands/sessions/diff.ts')).diff,
  report: async () => (await import('./commands/sessions/report.ts')).report,
  recipe: async () => (await import('./commands/knowledge/recipe.ts')).recipe,
  prompt: async () => (await import('./commands/planning/prompt.ts')).prompt,
  approve: async () => (await import('./commands/tasks/approve.ts')).approve,
  retry: async () => (await import('./commands/tasks/retry.ts')).retry,
  skip: async () => (await import('./commands/tasks/skip.ts')).skip,
  remove: async () => (await import('./commands/tasks/remove.ts')).remove,
  answer: async () => (await import('./commands/tasks/answer.ts')).answer,
  flag: async () => (await import('./commands/tasks/flag.ts')).flag,
  comment: async () => (await import('./commands/tasks/comment.ts')).comment,
  learn: async () => (await import('./commands/knowledge/learn.ts')).learn,
  files: async () => (await import('./commands/knowledge/files.ts')).files,
  import: async () => (await import('./commands/exchange/import.ts')).importCommand,
  export: async () => (await import('./commands/exchange/export.ts')).exportCommand,
  init: async () => (await import('./commands/setup/init.ts')).init,
  trust: async () => (await import('./commands/setup/trust.ts')).trust,
  notify: async () => (await import('./commands/setup/notify.ts')).notify,
  slots: async () => (await import('./commands/sessions/slots.ts')).slots,
  fleet: async () => (await import('./commands/sessions/fleet.ts')).fleet,
  'mcp-config': async () => (await import('./commands/setup/mcp-config.ts')).mcpConfig,
  hook: async () => (await import('./commands/setup/hook.ts')).hook,
  completion: async () => (await import('./commands/setup/completion.ts')).completion,
  database: async () => (await import('./commands/setup/database.ts')).database,
  doctor: async () => (await import('./commands/setup/doctor.ts')).doctor,
};

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(LOAD).map((load) => load()));

/** The command of this name; all commands if there is none, for the help and for "did you mean". */
export async function commandsFor(word = ''): Promise<readonly Command[]> {
  const load = Object.hasOwn(LOAD, word) ? LOAD[word] : undefined;
  return load === undefined ? allCommands() : [await load()];
}
