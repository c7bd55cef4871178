import type { View } from '../view.ts';
import { document, feature } from './feature.ts';
import { gateLog } from './gates.ts';
import { graph } from './graph.ts';
import { journal, knowledge, learnings } from './knowledge.ts';
import { machines } from './machines.ts';
import { now } from './now.ts';
import { project } from './project.ts';
import { run, runReport, runs } from './runs.ts';
import { search } from './search.ts';
import { session, sessionEntries, sessionEntry, sessionFind, sessions } from './session.ts';
import { sessionPrompt, task, taskFields, taskPrompt } from './task.ts';
import { tasks } from './tasks.ts';

export const VIEWS: readonly View[] = [
  project,
  now,
  tasks,
  task,
  taskFields,
  taskPrompt,
  sessionPrompt,
  gateLog,
  sessions,
  session,
  sessionEntries,
  sessionEntry,
  sessionFind,
  graph,
  runs,
  run,
  runReport,
  machines,
  knowledge,
  feature,
  learnings,
  journal,
  document,
  search,
];

/** The view at this address, with the values of the names in its path. */
export function findView(path: string): { view: View; names: Record<string, string> } | null {
  for (const view of VIEWS) {
    const names = match(view.path, path);
    if (names !== null) return { view, names };
  }
  return null;
}

function match(pattern: string, path: string): Record<string, string> | null {
  const [expected, parts] = [pattern.split('/'), path.split('/')];
  if (expected.length !== parts.length) return null;
  const names: Record<string, string> = {};
  for (const [index, name] of expected.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith(':')) names[name.slice(1)] = part;
    else if (name !== part) return null;
  }
  return names;
}
