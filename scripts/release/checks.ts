// What must hold before a version is published. Pure: each check is a name, and the repair if it does not hold.
import { z } from 'zod';
import type { Facts } from './facts.ts';
import { SERVER_JSON } from './server-json.ts';

export type Check = { name: string; problem: string | null };

const PROGRAMS = ['ralph.js', 'relay.js', 'statusline.js', 'watcher.js', 'starter.js', 'sandbox-init.mjs'];
const NEEDED = [...PROGRAMS, 'web/index.html'].map((name) => `dist/${name}`);
/** Everything else in the tarball is not needed at run time. */
const ALLOWED =
  /^(package\.json|README\.md|LICENSE|better-sqlite3-12\/package(-lock)?\.json|dist\/[\w-]+\.m?js|dist\/package\.json|dist\/web\/(index\.html|app\.(js|css)|parts\/[\w.-]+\.js))$/;
const MAX_BYTES = 1.5 * 2 ** 20;

export function checkRelease(facts: Facts): Check[] {
  return [
    { name: 'version', problem: versionProblem(facts) },
    { name: 'changelog', problem: changelogProblem(facts) },
    { name: 'tag', problem: tagProblem(facts) },
    { name: 'build', problem: buildProblem(facts) },
    { name: 'tarball', problem: tarballProblem(facts) },
    { name: 'provenance', problem: provenanceProblem(facts) },
    { name: 'plugin', problem: pluginProblem(facts) },
    { name: 'server.json', problem: serverProblem(facts) },
    { name: 'registry', problem: registryProblem(facts) },
  ];
}

function versionProblem({ packageJson: { version }, lockVersion, pluginVersion }: Facts): string | null {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) return `${version} in package.json is no version.`;
  if (lockVersion !== version) return `package-lock.json says ${lockVersion}; run npm install.`;
  return pluginVersion === version
    ? null
    : `plugin/.claude-plugin/plugin.json says ${pluginVersion}; write ${version} there.`;
}

function changelogProblem({ packageJson: { version }, changelog }: Facts): string | null {
  const headings = [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  const first = headings.find((heading) => heading !== 'Unreleased') ?? '';
  const [named, date] = first.split(/[ ,(]+/);
  if (named === version && /^\d{4}-\d\d-\d\d/.test(date ?? '')) return null;
  return `The first heading of CHANGELOG.md below Unreleased must be "## ${version} (YYYY-MM-DD)".`;
}

function tagProblem({ packageJson: { version }, git: { isClean, tags } }: Facts): string | null {
  if (!isClean) return 'The work tree has changes; commit them first.';
  return tags.includes(`v${version}`) ? null : `This commit has no tag v${version}; run git tag v${version}.`;
}

function buildProblem({ packageJson: { version }, git: { commit }, versionLine }: Facts): string | null {
  const wanted = `${version} (commit ${commit})`;
  return versionLine === wanted ? null : `dist/ralph.js is "${versionLine}", not "${wanted}"; build again.`;
}

export function tarballProblem({ tarball: { files, size } }: Pick<Facts, 'tarball'>): string | null {
  const missing = NEEDED.find((file) => !files.includes(file));
  if (missing !== undefined) return `${missing} is missing; run npm run build, or mend "files".`;
  const needless = files.find((file) => !ALLOWED.test(file));
  if (needless !== undefined) return `${needless} is not needed at run time; mend "files" in package.json.`;
  return size <= MAX_BYTES ? null : `It has ${size} bytes, more than ${MAX_BYTES}.`;
}

function provenanceProblem({
  packageJson: { repository, publishConfig },
  git: { origin },
}: Facts): string | null {
  if (publishConfig?.provenance !== true || publishConfig.access !== 'public')
    return 'publishConfig in package.json must have provenance: true and access: "public".';
  const named = repositoryName(repository?.url ?? '');
  if (named === null) return 'repository.url in package.json must name the repository that publishes.';
  // npm refuses a provenance statement whose repository is another one.
  return repositoryName(origin ?? '') === named
    ? null
    : `package.json names ${named}, but the remote origin is ${origin ?? 'not set'}.`;
}

/** OWNER/REPO; null if the address is not one of GitHub. */
export const repositoryName = (url: string): string | null =>
  /github\.com[:/]([\w.-]+\/[\w.-]+?)(\.git)?$/.exec(url)?.[1] ?? null;

const pluginProblem = ({ pluginProblems }: Facts): string | null =>
  pluginProblems === '' ? null : pluginProblems.trim().replace(/\s+/g, ' ');

function serverProblem({
  packageJson: { name, version, mcpName, repository },
  server,
}: Facts): string | null {
  const parsed = SERVER_JSON.safeParse(server);
  if (!parsed.success) return z.prettifyError(parsed.error).replace(/\s+/g, ' ');
  const { packages, ...own } = parsed.data;
  const [{ identifier, version: packageVersion }] = packages;
  // The MCP registry lets only the owner of a GitHub account publish below this name.
  const owned = `io.github.${repositoryName(repository?.url ?? '')}`;
  if (mcpName !== owned) return `mcpName in package.json is ${mcpName}, but its repository is ${owned}.`;
  const names = [own.name, identifier, repositoryName(own.repository.url)];
  const isSame = `${names}` === `${[mcpName, name, repositoryName(repository?.url ?? '')]}`;
  if (isSame && own.version === version && packageVersion === version) return null;
  return 'It says something else than package.json; run npm run references.';
}

/** The name is free, or ours: every version says which repository it comes from. */
function registryProblem({ packageJson: { name, version, repository }, published }: Facts): string | null {
  if (published === null) return 'The package registry cannot be asked; check the network.';
  const { versions, repository: source } = published;
  if (versions.length > 0 && repositoryName(source ?? '') !== repositoryName(repository?.url ?? ''))
    return `${name} is somebody else's there (${source ?? 'it names no repository'}); choose another name.`;
  return versions.includes(version) ? `${name} ${version} is already there; raise the version.` : null;
}
