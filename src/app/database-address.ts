// Where the queue of a project is: `--database`, RALPH_DATABASE_URL, or database.json in the state; otherwise a file of SQLite.
//
// The address becomes the variable RALPH_DATABASE_URL of the context. So its password is masked in everything that Ralph stores or
// shows, and neither an agent nor a gate gets it (domain/secrets/environment.ts).
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { Refusal } from '../domain/refusal.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { PRIVATE_FILE } from '../host/private-state.ts';
import { databasePath, databaseRecord, findProject } from '../host/project.ts';
import type { ProjectContext } from './world.ts';

const VARIABLE = 'RALPH_DATABASE_URL';

/** `chosen`: what the command line names. */
export async function withAddress<Context extends Pick<ProjectContext, 'project' | 'env'>>(
  context: Context,
  chosen?: string,
): Promise<Context> {
  const address = chosen ?? (context.env[VARIABLE] || recordedAddress(context.project));
  if (address === null || address === undefined) return context;
  // Imported late: few projects need it.
  const { completeAddress, isAddress, requireNoPassword } = await import('../queue/database.ts');
  if (chosen !== undefined) requireNoPassword(chosen);
  if (!isAddress(address))
    throw new Refusal(
      'The address of the database must begin with postgres://; leave it out to use the file.',
    );
  return { ...context, env: { ...context.env, [VARIABLE]: completeAddress(address, context.env) } };
}

/** What `openQueue` opens. */
export const databasePlace = ({ env }: Pick<ProjectContext, 'env'>, stateDir: string): string =>
  env[VARIABLE] || databasePath(stateDir);

function recordedAddress(project: string): string | null {
  let stateDir: string;
  try {
    ({ stateDir } = findProject(project));
  } catch {
    // The command itself says what is wrong with the project.
    return null;
  }
  return readRecord(stateDir);
}

/** The address that `ralph database use` wrote; null if there is none. */
export function readRecord(stateDir: string): string | null {
  const path = databaseRecord(stateDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Refusal(`${path} cannot be read; check its permissions.`, { cause: error });
  }
  const address = parseRecord(text);
  // Never the file of SQLite instead: there would be two queues.
  if (address === null)
    throw new Refusal(`${path} is damaged; write it again with: ralph database use ADDRESS`);
  return address;
}

function parseRecord(text: string): string | null {
  try {
    const { address }: { address?: unknown } = JSON.parse(text);
    return typeof address === 'string' ? address : null;
  } catch {
    return null;
  }
}

/** Null: the queue is in the file of SQLite again. */
export async function writeRecord(stateDir: string, address: string | null): Promise<void> {
  const path = databaseRecord(stateDir);
  if (address === null) return rmSync(path, { force: true });
  await writeFileWhole(path, `${JSON.stringify({ address }, null, 2)}\n`, { mode: PRIVATE_FILE });
  chmodSync(path, PRIVATE_FILE);
}
