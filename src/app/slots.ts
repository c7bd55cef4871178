import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import type { Config } from '../domain/config.ts';
import type { Project } from './open-project.ts';
import { stateHome } from './trust.ts';
import type { World } from './world.ts';

type SlotsFolder = Pick<Config['slots'], 'folder'>;

/** Where the slots of a project are: outside of every repository, so that no tool crawls through them. */
export function slotsFolder(
  env: World['env'],
  { root }: Pick<Project, 'root'>,
  { folder }: SlotsFolder,
): string {
  const name = `${basename(root).replace(/[^\w.-]+/g, '-')}-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
  return join(folder === null ? join(stateHome(env), 'ralph', 'slots') : resolve(root, folder), name);
}
