// Whatever a run may leave on the machine and must not.
import type { CommonEvidence, Evidence } from '../evidence.ts';

export function noProcessIsLeft({ processes }: CommonEvidence): string[] {
  return processes.map(({ pid, command }) => `process ${pid} is alive: ${command.slice(0, 200)}`);
}

export function noLockIsLeft({ gitFiles }: CommonEvidence): string[] {
  return gitFiles.filter((file) => file.endsWith('.lock'));
}

/** A lock names who uses a slot, and a note whose files it holds. */
export function noSlotIsTaken({ slotFiles }: CommonEvidence): string[] {
  return slotFiles.filter((file) => /\.(lock|session)$/.test(file));
}

/** Copies of the index, halves of files, and what a session was given that may hold secrets. */
export function noScratchIsLeft({ gitFiles, runtimeFiles }: CommonEvidence): string[] {
  return [...gitFiles.filter((file) => /^ralph\/(scratch\/|.*\.part$)/.test(file)), ...runtimeFiles];
}

/** Without a supervisor nothing limits an agent: it must end by itself, and everything it started with it. */
export function noSessionOutlivesItsSupervisor({ survivors }: Evidence): string[] {
  return survivors
    .filter(({ part }) => part === 'session')
    .map(({ pid, command }) => `process ${pid} outlived its supervisor: ${command.slice(0, 200)}`);
}

export function noGateOutlivesItsSupervisor({ survivors }: Evidence): string[] {
  return survivors
    .filter(({ part }) => part === 'gate')
    .map(({ pid, command }) => `process ${pid} of a gate outlived its supervisor: ${command.slice(0, 200)}`);
}
