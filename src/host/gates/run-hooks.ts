// Runs the hooks of the repository as git would for this commit, and treats their results like those of gates.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GateConfig } from '../../domain/config.ts';
import type { GateResult, GateStep } from '../../domain/sessions/gate.ts';
import { git } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { hookScratch, newScratchFile, type Place } from '../git/own-git.ts';
import type { Mount } from '../sandbox/bwrap.ts';
import { isBelow } from '../sandbox/guarded.ts';
import { type GateRun, runGate } from './gates.ts';
import { type HookName, type Hooks, shownPath, wholeFolder } from './hooks.ts';

export type HookRun = Omit<GateRun, 'root' | 'logFile'> & {
  place: Place;
  hooks: Hooks;
  /** Names of variables that the hook gets besides those of every gate. */
  names: readonly string[];
  logFile(name: string): string;
  onGate?: ((step: GateStep) => void) | undefined;
};

/** Runs the hook with an index that holds the future commit, as it expects. Null if there is no such hook. */
export async function runPreCommit(run: HookRun, tree: string): Promise<GateResult | null> {
  const { place } = run;
  const index = await newScratchFile(hookScratch(place));
  try {
    await git({ ...place, overrides: { GIT_INDEX_FILE: index } }, ['read-tree', tree]);
    return await runHook(run, 'pre-commit', [], [`GIT_INDEX_FILE=${index}`]);
  } finally {
    await rm(index, { force: true });
  }
}

/** The hook may change the message; Ralph adds trailers again that it drops. */
export async function runCommitMsg(
  run: HookRun,
  message: string,
): Promise<{ result: GateResult | null; message: string }> {
  const file = await newScratchFile(hookScratch(run.place));
  try {
    await writeFile(file, message, { mode: 0o600 });
    const result = await runHook(run, 'commit-msg', [file], []);
    const written = new Set(message.split('\n'));
    // Drop comments like git, but keep lines of the original message that look like one.
    const isKept = (line: string): boolean => !line.startsWith('#') || written.has(line);
    const edited = (await readFile(file, 'utf8')).split('\n').filter(isKept).join('\n').trim();
    const trailers = message.trim().split('\n\n').at(-1) ?? '';
    const isWhole = trailers.split('\n').every((line) => edited.split('\n').includes(line));
    if (result === null || edited === message.trim()) return { result, message };
    return { result, message: isWhole ? `${edited}\n` : `${edited}\n\n${trailers}\n` };
  } finally {
    await rm(file, { force: true });
  }
}

async function runHook(
  { place, hooks, names, logFile, onGate, ...run }: HookRun,
  name: HookName,
  args: readonly string[],
  variables: readonly string[],
): Promise<GateResult | null> {
  const hook = hooks.found.find((found) => found.name === name);
  const root = findGit(place.root)?.worktree ?? place.root;
  if (hook === undefined) return null;
  const gate: GateConfig = {
    name: `hook ${name}`,
    command: ['env', 'GIT_EDITOR=:', ...variables, hook.file, ...args],
    required: true,
    timeout_seconds: 600,
    max_output_mb: 16,
    expect: null,
    env: names,
  };
  const step = { name: gate.name, number: hooks.found.indexOf(hook) + 1, of: hooks.found.length };
  onGate?.({ ...step, ended: null });
  const mounts: Mount[] = [
    { kind: 'write', path: hookScratch(place) },
    ...(isBelow(root, hook.file) ? [] : [{ kind: 'read', path: wholeFolder(dirname(hook.file)) } as const]),
  ];
  const result = await runGate(gate, { ...run, root, logFile: logFile(name), mounts });
  onGate?.({ ...step, ended: result });
  return { ...result, command: shownPath(root, hook.file) };
}
