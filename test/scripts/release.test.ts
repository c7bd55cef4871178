import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkRelease } from '../../scripts/release/checks.ts';
import type { Facts } from '../../scripts/release/facts.ts';

const packageJson: Facts['packageJson'] = JSON.parse(readFileSync('package.json', 'utf8'));
const server = JSON.parse(readFileSync('server.json', 'utf8'));
const { version } = packageJson;

/** A release in which nothing is wrong. */
const READY: Facts = {
  packageJson,
  lockVersion: JSON.parse(readFileSync('package-lock.json', 'utf8')).version,
  pluginVersion: JSON.parse(readFileSync('plugin/.claude-plugin/plugin.json', 'utf8')).version,
  pluginProblems: '',
  server,
  changelog: `# Changelog\n\n## Unreleased\n\n## ${version} (2026-11-18)\n`,
  tarball: {
    files: [
      'package.json',
      'dist/ralph.js',
      'dist/relay.js',
      'dist/statusline.js',
      'dist/watcher.js',
      'dist/starter.js',
      'dist/main-AB12.js',
      'dist/sandbox-init.mjs',
      'dist/web/index.html',
    ],
    size: 1_000_000,
    unpackedSize: 3_000_000,
  },
  git: {
    isClean: true,
    commit: '0123456789',
    tags: [`v${version}`],
    origin: packageJson.repository?.url ?? null,
  },
  versionLine: `${version} (commit 0123456789)`,
  published: { versions: [], repository: null },
};

const problems = (facts: Partial<Facts>) =>
  checkRelease({ ...READY, ...facts }).flatMap(({ name, problem }) => (problem === null ? [] : [name]));

it('the versions, names and fields of this repository allow a release', () => {
  expect(checkRelease(READY).filter(({ problem }) => problem !== null)).toEqual([]);
});

it('an install brings exactly the addon whose code the bundle has', () => {
  for (const range of Object.values(packageJson.dependencies)) expect(range).toMatch(/^\d+\.\d+\.\d+$/);
});

it.each<[string, Partial<Facts>, string]>([
  ['another version in the lock file', { lockVersion: '9.9.9' }, 'version'],
  ['another version in the plugin', { pluginVersion: '9.9.9' }, 'version'],
  ['a changelog without the version', { changelog: '## Unreleased\n' }, 'changelog'],
  ['a changelog without a date', { changelog: `## ${version}\n` }, 'changelog'],
  ['changes in the work tree', { git: { ...READY.git, isClean: false } }, 'tag'],
  ['a missing tag', { git: { ...READY.git, tags: ['v9.9.9'] } }, 'tag'],
  ['a build of another commit', { versionLine: `${version} (commit 0123456789, modified)` }, 'build'],
  ['a test in the tarball', { tarball: withFile('test/a.test.ts') }, 'tarball'],
  ['stored code in the tarball', { tarball: withFile('dist/main-AB12.js-command-11.cache') }, 'tarball'],
  ['a tarball without the command', { tarball: { ...READY.tarball, files: [] } }, 'tarball'],
  ['a tarball that is too large', { tarball: { ...READY.tarball, size: 9e6 } }, 'tarball'],
  ['a publication without provenance', { packageJson: { ...packageJson, publishConfig: {} } }, 'provenance'],
  ['a fork', { git: { ...READY.git, origin: 'https://github.com/other/ralph' } }, 'provenance'],
  ['no remote', { git: { ...READY.git, origin: null } }, 'provenance'],
  ['a plugin that Claude Code refuses', { pluginProblems: 'hooks: wrong' }, 'plugin'],
  ['an unknown key in server.json', { server: { ...server, status: 'active' } }, 'server.json'],
  ['a range in server.json', { server: { ...server, version: '^0.1.0' } }, 'server.json'],
  ['another name in server.json', { server: { ...server, name: 'io.github.other/ralph' } }, 'server.json'],
  [
    'another repository in server.json',
    { server: { ...server, repository: { url: 'https://github.com/other/ralph', source: 'github' } } },
    'server.json',
  ],
  [
    'a name of another account',
    { packageJson: { ...packageJson, mcpName: 'io.github.other/ralph' } },
    'server.json',
  ],
  [
    'a name that is too long for the registry',
    { server: { ...server, name: `a/${'b'.repeat(200)}` } },
    'server.json',
  ],
  [
    'a description that is too long for it',
    { server: { ...server, description: 'b'.repeat(101) } },
    'server.json',
  ],
  ['a server.json without a version', { server: { ...server, version: undefined } }, 'server.json'],
  [
    'a repository in server.json whose address only ends like ours',
    {
      server: {
        ...server,
        repository: { url: `https://example.com/a b/${server.repository.url.slice(8)}`, source: 'github' },
      },
    },
    'server.json',
  ],
  ['a version that is published already', { published: published(version) }, 'registry'],
  ['a name that another repository has', { published: published('9.9.9', 'github.com/x/y') }, 'registry'],
  ['a name of which nobody knows whose it is', { published: published('9.9.9', null) }, 'registry'],
  ['a registry that does not answer', { published: null }, 'registry'],
])('%s stops a release', (_, facts, name) => {
  expect(problems(facts)).toEqual([name]);
});

it('a further version of our own package may be released', () => {
  expect(problems({ published: published('0.0.1') })).toEqual([]);
});

function published(
  one: string,
  repository: string | null = packageJson.repository?.url ?? null,
): Facts['published'] {
  return { versions: [one], repository };
}

function withFile(file: string): Facts['tarball'] {
  return { ...READY.tarball, files: [...READY.tarball.files, file] };
}
