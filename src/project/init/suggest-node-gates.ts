// Suggests gates from the scripts of package.json, or of a monorepo's packages if its root has no such script.
import { scriptsBehind } from '../../domain/sessions/gate.ts';
import type { Repository } from './repository.ts';

export type SuggestedGate = { name: string; command: string; required?: false };

type Scripts = Readonly<Record<string, string>>;
type Kind = { name: string; scripts: readonly string[]; isStyle?: true };

/** In the order they run: quick and telling gates come first. */
const KINDS: readonly Kind[] = [
  {
    name: 'types',
    scripts: [
      'typecheck',
      'type-check',
      'types:check',
      'check:types',
      'check-types',
      'types',
      'check:ts',
      'ts:check',
      'tsc',
    ],
  },
  { name: 'lint', scripts: ['lint', 'lint:check', 'check:lint'], isStyle: true },
  {
    name: 'format',
    scripts: ['format:check', 'check:format', 'format-check', 'check-format', 'fmt:check', 'prettier:check'],
    isStyle: true,
  },
  { name: 'test', scripts: ['test', 'test:ci', 'test:run', 'test:unit'] },
  { name: 'build', scripts: ['build'] },
];

const KNOWN_SCRIPTS = new Set(KINDS.flatMap(({ scripts }) => scripts));
const STYLE = /format|lint|style|prettier|spell|links/;

/** A gate must change no file, must end, and must test something. */
const isCheck = (script: string | undefined): script is string =>
  script !== undefined && !/--(?:fix|write|watch)(?![\w=-])|no test specified/.test(script);

export function nodeGates(repository: Repository): SuggestedGate[] {
  const { scripts } = repository.packageJson;
  const tool = packageManager(repository);
  const found = KINDS.flatMap(({ name, scripts: names, isStyle }): SuggestedGate[] => {
    const script = names.find((one) => isCheck(scripts[one]));
    const command = script === undefined ? acrossPackages(repository, tool, names) : runScript(tool, script);
    return command === null ? [] : [isStyle ? advisory(name, command) : gate(name, command)];
  });
  return [...found, ...otherChecks(tool, scripts, found)];
}

export function packageManager({ has }: Pick<Repository, 'has'>): PackageManager {
  if (has('pnpm-lock.yaml', 'pnpm-workspace.yaml')) return 'pnpm';
  if (has('yarn.lock')) return has('.yarnrc.yml') ? 'yarn' : 'yarn 1';
  return has('bun.lock', 'bun.lockb') ? 'bun' : 'npm';
}

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'yarn 1' | 'bun';

function runScript(tool: PackageManager, script: string): string {
  const [command] = tool.split(' ');
  return script === 'test' && tool !== 'bun' ? `${command} test` : `${command} run ${script}`;
}

/** Runs the script that most packages have in each of them; null if no package has one. */
function acrossPackages(
  { workspaces }: Repository,
  tool: PackageManager,
  names: readonly string[],
): string | null {
  const packages = workspaces();
  const packageCount = (name: string): number =>
    packages.filter(({ packageJson: { scripts } }) => isCheck(scripts[name])).length;
  const [script] = [...names].sort((one, other) => packageCount(other) - packageCount(one));
  if (script === undefined || packageCount(script) === 0) return null;
  switch (tool) {
    case 'npm':
      return `npm run ${script} --workspaces --if-present`;
    case 'pnpm':
      return `pnpm -r run ${script}`;
    case 'yarn':
      return `yarn workspaces foreach -A run ${script}`;
    case 'yarn 1':
      // Yarn 1 fails at the first package without the script.
      return packageCount(script) === packages.length ? `yarn workspaces run ${script}` : null;
    case 'bun':
      return `bun run --filter '*' ${script}`;
  }
}

/** `check` and other scripts named so, unless a found gate runs the script or the script runs a found gate. */
function otherChecks(
  tool: PackageManager,
  scripts: Scripts,
  found: readonly SuggestedGate[],
): SuggestedGate[] {
  const covered = new Set(found.flatMap(({ command }) => [...scriptsBehind(command, scripts).keys()]));
  return Object.keys(scripts)
    .filter((name) => /^check$|^check:|:check$/.test(name) && !KNOWN_SCRIPTS.has(name))
    .filter((name) => isCheck(scripts[name]) && !covered.has(name))
    .filter(
      (name) => ![...scriptsBehind(runScript(tool, name), scripts).keys()].some((one) => covered.has(one)),
    )
    .map((name) => {
      const [called, command] = [name.replaceAll(':', '-'), runScript(tool, name)];
      return STYLE.test(name) ? advisory(called, command) : gate(called, command);
    });
}

export const gate = (name: string, command: string): SuggestedGate => ({ name, command });

/** A style check is shown, but must not send finished work back. */
export const advisory = (name: string, command: string): SuggestedGate => ({
  name,
  command,
  required: false,
});
