// Halts the push with which a machine lands: before it begins, or after it has arrived and nobody has heard of it.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../moment.ts';
import type { LandingMoment } from './disturbance.ts';

type Folder = { readonly folder: string };

const ARMED: Readonly<Record<LandingMoment, string>> = {
  'before a landing': 'halt-before',
  'after a landing': 'halt-after',
};
const HALTED = 'halted';

/** The part of the git in front of the real one. One push takes the folder, which only one process can remove. */
export function haltingShim(folder: string): (git: string) => string {
  const [before, after, halted] = [...Object.values(ARMED), HALTED].map((name) => join(folder, name));
  const halt = `mkdir '${halted}'; while [ -e '${halted}' ]; do sleep 0.02; done`;
  return (git) => `case "$*" in *:refs/heads/main)
  if rmdir '${before}' 2>/dev/null; then ${halt}; fi
  if rmdir '${after}' 2>/dev/null; then
    '${git}' "$@" || exit
    ${halt}
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
  for (const machine of machines) remove(machine, ARMED[moment]);
  const [first, ...others] = machines.filter(isHalted);
  for (const other of others) remove(other, HALTED);
  return first === undefined ? null : { machine: first, release: () => remove(first, HALTED) };
}
