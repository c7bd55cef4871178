// A sandbox around gates of a slot, without a queue. What needs bubblewrap is skipped where it cannot work, and says so.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { inject, it } from 'vitest';
import type { SandboxConfig, SandboxLevel } from '../../src/domain/config.ts';
import type { GateResult } from '../../src/domain/sessions/gate.ts';
import { runGate } from '../../src/host/gates/gates.ts';
import { BASE } from '../../src/host/sandbox/bwrap.ts';
import { type Inside, insideSlot } from '../../src/host/sandbox/inside.ts';
import { openSandbox, type Sandbox } from '../../src/host/sandbox/sandbox.ts';
import { type Slot, slotEnvironment } from '../../src/host/slots/slot.ts';
import type { TestRepository } from './slots.ts';

const hasBubblewrap = ((): boolean => {
  try {
    execFileSync('bwrap', [...BASE, '--', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

// In CI a missing sandbox must not look like one that holds.
if (!hasBubblewrap && process.env['CI_HAS_BUBBLEWRAP'] === '1')
  throw new Error('bubblewrap was installed for these tests, but it does not work.');

/** A test of what bubblewrap does. */
export const itEncloses = it.skipIf(!hasBubblewrap);

export const NO_SANDBOX: SandboxConfig = { level: null, network: [], read: [], write: [], command: [] };

export function sandboxFor(
  { place, slots, folder }: TestRepository,
  config: Partial<SandboxConfig> = {},
  {
    level = 'process',
    home = folder,
    hosts = [],
  }: { level?: SandboxLevel; home?: string; hosts?: readonly string[] } = {},
): Sandbox {
  return openSandbox({
    level,
    config: { ...NO_SANDBOX, ...config },
    env: { ...place.env, HOME: home },
    guarded: { repository: place, ralphState: join(home, '.local/state/ralph'), slotsFolder: slots.folder },
    program: { node: process.execPath, script: inject('ralph') },
    hosts: { agent: hosts, gate: hosts },
  });
}

export function gateIn(
  repository: TestRepository,
  slot: Slot,
  sandbox: Sandbox,
  command: string,
  { inside = insideSlot(slot, 'gate'), ...options }: GateOptions = {},
): Promise<GateResult> {
  return runGate(
    {
      name: 'try',
      command,
      required: true,
      timeout_seconds: 60,
      max_output_mb: 1,
      expect: null,
    },
    {
      root: slot.root,
      env: { ...repository.place.env, ...options.env, ...slotEnvironment(slot, {}) },
      logFile: join(repository.folder, 'gate.log'),
      tree_hash: null,
      enclosure: sandbox.enclose(inside),
      ...(options.stop !== undefined && { stop: options.stop }),
    },
  );
}

type GateOptions = {
  inside?: Inside;
  env?: Record<string, string>;
  stop?: AbortSignal;
};
