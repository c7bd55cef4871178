import { executableLines } from '../domain/trust.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { listAllDisciplines } from '../queue/list.ts';
import type { ProjectContext } from './command.ts';
import type { Project } from './project.ts';
import { stateHome } from './state-home.ts';

export async function trustOf(
  context: ProjectContext,
  { root, queue }: Project,
): Promise<{ lines: string[]; trusted: boolean }> {
  const { isTrusted } = await import('../host/trust.ts');
  const lines = executableLines(await readConfig(root), await listAllDisciplines(queue));
  return { lines, trusted: await isTrusted(stateHome(context.env), root, lines) };
}

export async function recordTrust(
  context: ProjectContext,
  { root }: Project,
  lines: readonly string[],
): Promise<void> {
  const { trust: write } = await import('../host/trust.ts');
  await write(stateHome(context.env), root, lines, context.now());
}
