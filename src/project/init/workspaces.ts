// Finds the package folders of a monorepo that package.json or pnpm-workspace.yaml names.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const MAX_FOLDERS = 500;

/** The patterns of both files. Exclusions (`!`) are ignored. */
export function workspacePatterns(declared: unknown, pnpm: string): string[] {
  const listed = Array.isArray(declared)
    ? declared
    : ((declared as { packages?: unknown } | null | undefined)?.packages ?? []);
  const own = Array.isArray(listed) ? listed.filter((one): one is string => typeof one === 'string') : [];
  // Only the list below `packages:`; a whole YAML parser would cost every start.
  const block = /^packages:\s*\n((?:[ \t]*(?:-.*|#.*)?\n?)*)/m.exec(pnpm)?.[1] ?? '';
  const theirs = [...block.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\n]+?)["']?[ \t]*(?:#.*)?$/gm)].flatMap(
    ([, pattern]) => pattern ?? [],
  );
  return [...own, ...theirs].filter((pattern) => !pattern.startsWith('!') && !pattern.includes('..'));
}

/** The folders below the root that match a pattern such as `packages/*`. */
export function workspaceFolders(root: string, patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) =>
    pattern
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .reduce(
        (folders, part) =>
          part.includes('*') ? folders.flatMap(below(root, part)) : folders.map(into(part)),
        [''],
      ),
  );
  return [...new Set(found)].filter((folder) => folder !== '').slice(0, MAX_FOLDERS);
}

const into =
  (part: string) =>
  (folder: string): string =>
    join(folder, part);

/** `**` matches one level or none: deeper nesting is rare, and a tree may be large. */
const below =
  (root: string, part: string) =>
  (folder: string): string[] => {
    const name = new RegExp(`^${part.split(/\*+/).map(escaped).join('.*')}$`);
    const inside = directories(join(root, folder))
      .filter((one) => name.test(one))
      .map((one) => join(folder, one));
    return part === '**' ? [folder, ...inside] : inside;
  };

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

function directories(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
