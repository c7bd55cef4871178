// Makes a filled slot ready for work: files that git ignores, by `.worktreeinclude` and by the setup command.
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { MachineFailed } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { runGate } from '../gates/gates.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import type { Environment } from '../processes/spawn.ts';
import type { Enclosure } from '../sandbox/sandbox.ts';
import { type Slot, stampFile } from './slot.ts';

type SetUp = {
  slots: Config['slots'];
  /** Of the configuration: more variables that the command gets. */
  names: readonly string[];
  env: Environment;
  stop?: AbortSignal | undefined;
  enclosure?: Enclosure | null | undefined;
  onSetUp?(ended: boolean): void;
};

const logFile = ({ folder }: Slot): string => `${folder}.setup.log`;

/** What the setup depends on: its command and the content of the files that `stamp` names. */
async function currentStamp({ root }: Slot, { setup, stamp }: Config['slots']): Promise<string> {
  const hash = createHash('sha256').update(`${setup}\0`);
  for (const name of stamp) {
    const content = await readFile(join(root, name)).catch(() => null);
    hash.update(
      `${name}\0${content === null ? 'missing' : createHash('sha256').update(content).digest('hex')}\0`,
    );
  }
  return hash.digest('hex');
}

/** Whether the slot has to be set up again: it is new, or a file that `stamp` names has changed. */
export async function needsSetUp(slot: Slot, slots: Config['slots'], isNew: boolean): Promise<boolean> {
  if (slots.setup === null) return false;
  if (isNew || slots.clean) return true;
  const stamp = await readFile(stampFile(slot), 'utf8').catch(() => null);
  return stamp !== (await currentStamp(slot, slots));
}

/** Before the setup changes anything: after a crash in the middle, the slot must not count as set up. */
export const forgetSetUp = (slot: Slot): Promise<void> => rm(stampFile(slot), { force: true });

/** By itself it says nothing about a task: the machine may be at fault (prepare-work.ts). */
export class SetUpFailed extends MachineFailed {
  readonly result: GateResult;

  constructor(result: GateResult, slot: Slot) {
    super(
      `The setup of a slot failed (${result.command}): ${lastLine(result.tail)} Its whole output is in ${logFile(slot)}; try it with: ralph doctor --slots`,
    );
    this.result = result;
  }
}

export async function setUp(
  slot: Slot,
  { slots, names, env, stop, enclosure, onSetUp }: SetUp,
): Promise<void> {
  if (slots.setup === null) return;
  onSetUp?.(false);
  const result = await runGate(
    {
      name: 'slots.setup',
      command: slots.setup,
      required: true,
      timeout_seconds: slots.setup_seconds,
      max_output_mb: 16,
      expect: null,
      env: names,
      flaky: 'fail',
    },
    { root: slot.root, env, logFile: logFile(slot), tree_hash: null, stop, enclosure },
  );
  onSetUp?.(true);
  if (!result.passed) throw new SetUpFailed(result, slot);
  await writeFileWhole(stampFile(slot), await currentStamp(slot, slots), { mode: PRIVATE_FILE });
}

const lastLine = (text: string): string => {
  const line = text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  return line === '' ? 'it gave no reason.' : /[.!?)]$/.test(line) ? line : `${line}.`;
};
