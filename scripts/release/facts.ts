// What a release is checked against: read once, so that the checks themselves are pure.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export type Facts = {
  packageJson: {
    name: string;
    version: string;
    mcpName?: string;
    repository?: { url: string };
    publishConfig?: { access?: string; provenance?: boolean };
    dependencies: Record<string, string>;
  };
  lockVersion: string;
  pluginVersion: string;
  /** What `claude plugin validate --strict` says against the plugin and its marketplace; empty if nothing. */
  pluginProblems: string;
  server: unknown;
  changelog: string;
  /** Files of the tarball, and its sizes in bytes. */
  tarball: { files: readonly string[]; size: number; unpackedSize: number };
  git: { isClean: boolean; commit: string; tags: readonly string[]; origin: string | null };
  /** What the built command says of itself. */
  versionLine: string;
  /** What the registry has under this name; null if it cannot be asked. An unknown package has no versions. */
  published: { versions: readonly string[]; repository: string | null } | null;
};

export function readFacts(): Facts {
  const packageJson: Facts['packageJson'] = readJson('package.json');
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const [packed]: [{ files: { path: string }[]; size: number; unpackedSize: number }] = JSON.parse(
    npm('pack', '--dry-run', '--json', '--ignore-scripts'),
  );
  return {
    packageJson,
    lockVersion: readJson('package-lock.json').version,
    pluginVersion: readJson('plugin/.claude-plugin/plugin.json').version,
    pluginProblems: ['.', 'plugin'].map(validatePlugin).join(''),
    server: readJson('server.json'),
    changelog: readFileSync('CHANGELOG.md', 'utf8'),
    tarball: { ...packed, files: packed.files.map(({ path }) => path) },
    git: {
      isClean: git('status', '--porcelain') === '',
      commit: git('rev-parse', '--short=10', 'HEAD'),
      tags: git('tag', '--points-at', 'HEAD').split('\n').filter(Boolean),
      origin: git('config', '--default', '', '--get', 'remote.origin.url') || null,
    },
    versionLine: execFileSync(process.execPath, ['dist/ralph.js', '--version'], { encoding: 'utf8' }).trim(),
    published: readPublished(packageJson.name),
  };
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

const npm = (...args: string[]): string =>
  execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

function readPublished(name: string): Facts['published'] {
  try {
    const answer = JSON.parse(npm('view', name, 'name', 'versions', 'repository.url', '--json'));
    return { versions: [answer.versions].flat(), repository: answer['repository.url'] ?? null };
  } catch (error) {
    const answer = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    return answer.includes('E404') ? { versions: [], repository: null } : null;
  }
}

function validatePlugin(folder: string): string {
  try {
    execFileSync('node_modules/.bin/claude', ['plugin', 'validate', '--strict', folder], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}
