// The home of an agent in the sandbox: empty but for its client's login and the caches of earlier sessions in the same slot. What
// an agent writes there reaches neither the person nor the next agent.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileWhole } from '../../files/write-file.ts';
import type { Environment } from '../processes/spawn.ts';
import { readOwn } from './lent-logins.ts';

/** Content of these is addressed by its hash, or of use only to the tool that wrote it. */
const CACHES = ['.cache', '.npm', '.m2', '.gradle', '.cargo', 'go'];

const CLIENT = '.claude';
const LOGIN = join(CLIENT, '.credentials.json');

/** Which account it is; none of the projects, servers and histories that the file also holds. */
const ACCOUNT = ['oauthAccount', 'userID', 'hasCompletedOnboarding', 'hasAvailableSubscription'];

type ClientHome = { close(): Promise<void> };

/** `folder`: stands in the place of the person's home. */
export async function openClientHome(folder: string, env: Environment): Promise<ClientHome> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder))
    if (!CACHES.includes(name)) await rm(join(folder, name), { recursive: true, force: true });
  await mkdir(join(folder, CLIENT), { mode: 0o700 });
  const persons = clientFolder(env);
  const login =
    persons === null ? null : await readFile(join(persons.folder, '.credentials.json')).catch(() => null);
  if (login !== null) await writeFile(join(folder, LOGIN), login, { mode: 0o600 });
  const account =
    persons === null ? {} : accountIn(await readFile(persons.account, 'utf8').catch(() => '{}'));
  await writeFile(join(folder, '.claude.json'), JSON.stringify(account), { mode: 0o600 });
  const npm =
    env['HOME'] === undefined ? null : await readFile(join(env['HOME'], '.npmrc'), 'utf8').catch(() => null);
  if (npm !== null) await writeFile(join(folder, '.npmrc'), withoutSecrets(npm), { mode: 0o600 });
  return {
    close: async () => {
      if (persons !== null && login !== null) await returnLogin(folder, login, persons.folder);
      await rm(join(folder, CLIENT), { recursive: true, force: true });
    },
  };
}

function clientFolder(env: Environment): { folder: string; account: string } | null {
  const chosen = env['CLAUDE_CONFIG_DIR'];
  if (chosen !== undefined) return { folder: chosen, account: join(chosen, '.claude.json') };
  const home = env['HOME'];
  return home === undefined ? null : { folder: join(home, CLIENT), account: join(home, '.claude.json') };
}

function accountIn(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null) return {};
    return Object.fromEntries(Object.entries(json).filter(([key]) => ACCOUNT.includes(key)));
  } catch {
    return {};
  }
}

/** Which registry to use is configuration; the token for it is not. */
export const withoutSecrets = (npmrc: string): string =>
  npmrc
    .split('\n')
    .filter((line) => !/(_auth|_password|password|token|cert|key)/i.test(line.split('=')[0] ?? ''))
    .join('\n');

/**
 * A client renews a login that has expired, and the old one may be worth nothing from then on. So a renewed one goes back, if the
 * person's is still the one that the session began with.
 */
async function returnLogin(folder: string, before: Buffer, persons: string): Promise<void> {
  const now = await readOwn(join(folder, LOGIN));
  if (now === null || now.equals(before) || !isRenewal(before, now)) return;
  const file = join(persons, '.credentials.json');
  const current = await readFile(file).catch(() => null);
  if (current?.equals(before)) await writeFileWhole(file, now, { mode: 0o600 });
}

/** A whole login that ends later. */
function isRenewal(before: Buffer, now: Buffer): boolean {
  const [old, renewed] = [before, now].map(loginIn);
  return (
    old !== null &&
    old !== undefined &&
    renewed !== null &&
    renewed !== undefined &&
    renewed.expiresAt > old.expiresAt
  );
}

function loginIn(text: Buffer): { expiresAt: number } | null {
  try {
    const login = JSON.parse(text.toString())?.claudeAiOauth;
    const isWhole =
      typeof login?.accessToken === 'string' &&
      typeof login?.refreshToken === 'string' &&
      typeof login?.expiresAt === 'number';
    return isWhole ? login : null;
  } catch {
    return null;
  }
}
