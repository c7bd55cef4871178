// A git in front of the real one, which dies at the call that the harness has armed. Only calls of Ralph's own count.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Of } from '../disturbance.ts';
import { awaitMoment, until } from '../moment.ts';
import type { Running } from '../running.ts';
import { requireRunning, type Scene } from '../scene.ts';

const ARMED = 'git-armed';
const DEATHS = 'git-deaths.log';

/** One call takes one folder, which only one process can remove; the call that takes the last folder dies. */
const shim = (git: string, ledger: string, first: string): string => `#!/bin/sh
${first}if [ -z "$RALPH_GIT_OF" ] || [ ! -e '${join(ledger, ARMED)}' ]; then exec '${git}' "$@"; fi
for token in '${join(ledger, ARMED)}'/*; do
  if rmdir "$token" 2>/dev/null; then
    case "$token" in
      *-before) echo "$*" >> '${join(ledger, DEATHS)}'; kill -9 $$ ;;
      *-after) '${git}' "$@"; echo "$*" >> '${join(ledger, DEATHS)}'; kill -9 $$ ;;
    esac
    break
  fi
done
exec '${git}' "$@"
`;

/** Answers with the folder that belongs in front of PATH. `first`: what the shell does first, given the real git. */
export function writeGitShim(
  folder: string,
  ledger: string,
  first: (git: string) => string = () => '',
): string {
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), shim(git, ledger, first(git)));
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

type GitCall = Of<'git'>;

/** Answers with the call that died; null where the run ended before. */
export async function killGitCall(scene: Scene, { moment, ...armed }: GitCall): Promise<string | null> {
  const running = requireRunning(scene);
  const { ledger } = scene.project;
  await awaitMoment(scene.project, running, moment);
  const death = await killNextCall(ledger, running, armed);
  if (death !== null) scene.mayBeRefused = true;
  return death;
}

/** `ledger`: the folder that the git in front of the real one looks at. */
export async function killNextCall(
  ledger: string,
  running: Pick<Running, 'isOver'>,
  { call, dies }: Pick<GitCall, 'call' | 'dies'>,
): Promise<string | null> {
  const before = deathsIn(ledger).length;
  armGit(ledger, call, dies);
  try {
    await until(running, () => deathsIn(ledger).length > before);
  } finally {
    disarmGit(ledger);
  }
  const death = deathsIn(ledger)[before];
  return death === undefined ? null : `${dies} ${parseSubcommand(death)}`;
}

/** `call`: which of Ralph's next calls dies, counted from 1. */
export function armGit(ledger: string, call: number, dies: GitCall['dies']): void {
  // Numbered with two digits: the shell sorts them as text.
  const name = (index: number): string => String(index).padStart(2, '0');
  for (let index = 1; index < call; index++) mkdirSync(join(ledger, ARMED, name(index)), { recursive: true });
  mkdirSync(join(ledger, ARMED, `${name(call)}-${dies}`), { recursive: true });
}

export const disarmGit = (ledger: string): void =>
  rmSync(join(ledger, ARMED), { recursive: true, force: true });

const deathsIn = (ledger: string): string[] =>
  existsSync(join(ledger, DEATHS)) ? readFileSync(join(ledger, DEATHS), 'utf8').split('\n').slice(0, -1) : [];

/** Without the settings in front of it. */
const parseSubcommand = (line: string): string =>
  line.replace(/^(?:(?:-c \S+|--\S+) )*/, '').split(' ', 1)[0] ?? '';
