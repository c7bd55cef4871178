import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { diffFromFile } from '../host/git/diff.ts';
import { sessionDir } from '../host/project.ts';
import { show } from '../queue/tasks/show.ts';
import type { Prompt } from '../recipes/render.ts';
import type { Project } from './open-project.ts';
import type { CommandContext } from './world.ts';

export async function promptDiff(
  { env }: CommandContext,
  { root, stateDir, queue }: Project,
  id: number,
  { prompt }: Prompt,
): Promise<string> {
  const last = (await show(queue, id)).sessions.at(-1);
  const file = last === undefined ? null : join(sessionDir(stateDir, last.id), 'prompt.md');
  if (file === null || !existsSync(file)) {
    throw new Refusal(
      `Task ${id} has had no session whose prompt was kept; there is nothing to compare with.`,
    );
  }
  const diff = await diffFromFile({ root, stateDir, env }, file, prompt);
  return diff?.trimEnd() ?? 'Nothing has changed since the last session.';
}
