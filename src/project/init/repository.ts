import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { leavesProject } from '../../files/own-file.ts';
import { workspaceFolders, workspacePatterns } from './workspaces.ts';

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

export type Workspace = { folder: string; packageJson: PackageJson };

export type PackageJson = {
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
