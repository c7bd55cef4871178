import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { leavesProject } from '../../files/own-file.ts';

/** What a few files say about a repository. Ralph executes none of them. */
export type Repository = {
  has(...paths: readonly string[]): boolean;
  /** The whole text, or an empty one if there is no such file. */
  text(path: string): string;
  /** Names in the top folder. */
  names: readonly string[];
  packageJson: PackageJson;
  /** The packages of a monorepo, searched at each call. */
  workspaces(): readonly Workspace[];
};

type Workspace = { folder: string; packageJson: PackageJson };

type PackageJson = {
  name: string | null;
  description: string | null;
  scripts: Record<string, string>;
  dependencies: ReadonlySet<string>;
  /** The dependencies without the development ones. */
  runtime: ReadonlySet<string>;
  /** It is not private and names an entry point that others import. */
  isLibrary: boolean;
  hasCommand: boolean;
};

const MAX_BYTES = 1024 * 1024;

export function readRepository(root: string): Repository {
  const text = (path: string): string => {
    const found = statOrNull(join(root, path));
    if (!found?.isFile() || found.size > MAX_BYTES || leavesProject(root, path)) return '';
    return readFileSync(join(root, path), 'utf8');
  };
  return {
    has: (...paths) => paths.some((path) => statOrNull(join(root, path)) !== null),
    text,
    names: readdirSync(root),
    packageJson: readPackageJson(text('package.json')),
    workspaces: () =>
      workspaceFolders(
        root,
        workspacePatterns(parseJson(text('package.json'))['workspaces'], text('pnpm-workspace.yaml')),
      ).flatMap((folder) => {
        const found = text(join(folder, 'package.json'));
        return found === '' ? [] : [{ folder, packageJson: readPackageJson(found) }];
      }),
  };
}

/** Null if the path does not exist or Ralph may not look at it. */
function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return {};
  }
}

function readPackageJson(text: string): PackageJson {
  const json = parseJson(text);
  const scripts = Object.entries(asRecord(json['scripts'])).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    name: typeof json['name'] === 'string' ? json['name'] : null,
    description: typeof json['description'] === 'string' ? json['description'] : null,
    scripts: Object.fromEntries(scripts),
    dependencies: new Set([
      ...Object.keys(asRecord(json['dependencies'])),
      ...Object.keys(asRecord(json['devDependencies'])),
    ]),
    runtime: new Set(Object.keys(asRecord(json['dependencies']))),
    isLibrary: json['private'] !== true && ['exports', 'main', 'module', 'types'].some((key) => key in json),
    hasCommand: json['bin'] !== undefined,
  };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

// Finds the package folders of a monorepo that package.json or pnpm-workspace.yaml names.

const MAX_FOLDERS = 500;

/** The patterns of both files. Exclusions (`!`) are ignored. */
function workspacePatterns(declared: unknown, pnpm: string): string[] {
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
function workspaceFolders(root: string, patterns: readonly string[]): string[] {
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
