// Halts the push with which a machine lands: before it begins, or after it has arrived and before its answer.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../moment.ts';
import type { LandingMoment } from './disturbance.ts';

type Folder = { readonly folder: string };

const ARMED: Readonly<Record<LandingMoment, string>> = {
  'before a landing': 'halt-before',
  'after a landing': 'halt-after',
};
/** The push is under way, and is to halt after it. */
const HALTING = 'halting';
const HALTED = 'halted';

/**
 * The part of the git in front of the real one. One push takes the folder, by a rename that only one process can do. No step is
 * between two names: a push that this script does not see would be halted for ever.
 */
export function haltingShim(folder: string): (git: string) => string {
  const [before, after, halting, halted] = [...Object.values(ARMED), HALTING, HALTED].map((name) =>
    join(folder, name),
  );
  const halt = `while [ -e '${halted}' ]; do sleep 0.02; done`;
  return (git) => `case "$*" in *:refs/heads/main)
  if mv -T '${before}' '${halted}' 2>/dev/null; then ${halt}; fi
  if mv -T '${after}' '${halting}' 2>/dev/null; then
    '${git}' "$@" || exit
    mv -T '${halting}' '${halted}' 2>/dev/null && ${halt}
    exit 0
  fi ;;
esac
`;
}

/** The first machine that lands, halted there until it is released; null if the round ended first. */
export async function haltLanding<Machine extends Folder>(
  machines: readonly Machine[],
  moment: LandingMoment,
  watch: { isOver(): boolean },
): Promise<{ machine: Machine; release(): void } | null> {
  const remove = ({ folder }: Folder, name: string): void =>
    rmSync(join(folder, name), { recursive: true, force: true });
  const isHalted = ({ folder }: Folder): boolean => existsSync(join(folder, HALTED));
  for (const { folder } of machines) mkdirSync(join(folder, ARMED[moment]), { recursive: true });
  await until(watch, () => machines.some(isHalted));
  const first = machines.find(isHalted);
  // In the order of their renames, so that none escapes.
  for (const machine of machines)
    for (const name of [ARMED[moment], HALTING, ...(machine === first ? [] : [HALTED])])
      remove(machine, name);
  return first === undefined ? null : { machine: first, release: () => remove(first, HALTED) };
}
