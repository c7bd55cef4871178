import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { leavesProject } from './leaves-project.ts';

/** What can be told of a repository by looking at a few files, none of which is executed. */
export type Repository = {
  has(...paths: readonly string[]): boolean;
  /** The whole text, or nothing where there is no such file. */
  text(path: string): string;
  /** Names in the top folder. */
  names: readonly string[];
  packageJson: PackageJson;
};

export type PackageJson = {
  name: string | null;
  description: string | null;
  scripts: Record<string, string>;
  dependencies: ReadonlySet<string>;
};

const MAX_BYTES = 1024 * 1024;

export function lookAt(root: string): Repository {
  const text = (path: string): string => {
    const found = look(join(root, path));
    if (!found?.isFile() || found.size > MAX_BYTES || leavesProject(root, path)) return '';
    return readFileSync(join(root, path), 'utf8');
  };
  return {
    has: (...paths) => paths.some((path) => look(join(root, path)) !== null),
    text,
    names: readdirSync(root),
    packageJson: readPackageJson(text('package.json')),
  };
}

/** Null where there is nothing, or nothing that can be looked at: below a file, or beyond what we may see. */
function look(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function readPackageJson(text: string): PackageJson {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = {};
  }
  const json = asRecord(parsed);
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
  };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
