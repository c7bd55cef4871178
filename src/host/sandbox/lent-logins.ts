// A person's login, copied for one session. The agent's program finds nothing else of theirs.
import { constants } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileWhole } from '../../files/write-file.ts';
import type { Environment } from '../processes/spawn.ts';

const MAX_LOGIN_BYTES = 64 * 1024;

export type LentLogins = {
  /** Whether the person has one. */
  isLent: boolean;
  giveBack(): Promise<void>;
};

/**
 * `logins`: by the name in the folder, where the person's may be; the first that there is counts. `~` is their home, and `$NAME`
 * the folder that a variable names.
 */
export async function lendLogins(
  folder: string,
  logins: Readonly<Record<string, readonly string[]>>,
  env: Environment,
): Promise<LentLogins> {
  const lent: { copy: string; original: string; content: Buffer }[] = [];
  for (const [name, places] of Object.entries(logins)) {
    const found = await findLogin(places, env);
    if (found === null) continue;
    const copy = join(folder, name);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    await writeFile(copy, found.content, { mode: 0o600 });
    lent.push({ copy, ...found });
  }
  return {
    isLent: lent.length > 0,
    giveBack: async () => {
      for (const { copy, original, content } of lent) await returnLogin(copy, original, content);
    },
  };
}

export async function findLogin(
  places: readonly string[],
  env: Environment,
): Promise<{ original: string; content: Buffer } | null> {
  for (const place of places) {
    const original = placeFor(place, env);
    const content = original === null ? null : await readFile(original).catch(() => null);
    if (original !== null && content !== null && content.length <= MAX_LOGIN_BYTES)
      return { original, content };
  }
  return null;
}

function placeFor(place: string, env: Environment): string | null {
  const [first = '', ...rest] = place.split('/');
  const base = env[first === '~' ? 'HOME' : first.slice(1)];
  return base === undefined || base === '' ? null : join(base, ...rest);
}

/**
 * A client renews a login that has expired, and the old one may be worth nothing from then on. So a renewed one goes back, if the
 * person's is still the one that the session began with.
 */
async function returnLogin(copy: string, original: string, before: Buffer): Promise<void> {
  const now = await readOwn(copy);
  if (now === null || now.equals(before) || !isRenewal(before, now)) return;
  const current = await readFile(original).catch(() => null);
  if (current?.equals(before)) await writeFileWhole(original, now, { mode: 0o600 });
}

/** Never through a link: an agent may have put one there. */
export async function readOwn(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (file === null) return null;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= MAX_LOGIN_BYTES ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}

/** The same fields, of the same kinds, with other values. What an agent adds or takes away never gets back. */
function isRenewal(before: Buffer, now: Buffer): boolean {
  const [old, renewed] = [before, now].map(loginShape);
  return old !== null && old === renewed;
}

function loginShape(text: Buffer): string | null {
  try {
    return JSON.stringify(shape(JSON.parse(text.toString())));
  } catch {
    return null;
  }
}

function shape(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  if (Array.isArray(value)) return value.map(shape);
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, shape(inner)]);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
