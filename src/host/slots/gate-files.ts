// Gates run what agents wrote, so they may leave anything in the ignored files of their slot and in their home. Before a tree is
// judged, both are made what the setup left there: added files are removed, and if the setup's files changed, it runs again.
import { rm } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { matcher } from '../../files/patterns.ts';
import { readRecord } from '../../files/read-text.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { git, treeOfCommit } from '../git/git.ts';
import { ownGit } from '../git/own-git.ts';
import { pathText, rawPath } from '../git/raw-path.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import {
  type FileRecords,
  isSameFile,
  recordFiles,
  removeFiles,
  untilLater,
  withContents,
} from './file-records.ts';
import { manifestFile, type Slot, type SlotPlace } from './slot.ts';
import type { SlotHead } from './slot-git.ts';
import { clearHome, type HomeRecord, layHome, recordHome, restoreHome } from './slot-home.ts';
import { listSlots, lockSlot, releaseSlot } from './slot-pool.ts';

type Manifest = {
  /** The files that the setup ran with. An agent wrote them, unless they have landed. */
  tree: string;
  hasLanded: boolean;
  files: [string, string][];
  home: [string, HomeRecord][];
};

type GateFiles = { slots: Config['slots']; included: readonly string[]; head: SlotHead };

/** False if the setup has to run again. */
export async function restoreGateFiles(slot: Slot, input: GateFiles): Promise<boolean> {
  const manifest = await readManifest(slot);
  const hasSetup = input.slots.setup !== null;
  if (manifest === null && hasSetup) return false;
  const before: Manifest = manifest ?? { tree: '', hasLanded: true, files: [], home: [] };
  const hasLanded = !hasSetup || before.hasLanded || (await isOnTrunk(slot, before.tree, input.head));
  if (!hasLanded && before.tree !== (await treeOfCommit(slot.repository, input.head.commit))) return false;
  try {
    if (!(await restoreIgnored(slot, hasSetup ? new Map(before.files) : new Map(), input))) return false;
    const home = await restoreHome(slot, new Map(before.home), keptHome(input));
    if (home === null) return false;
    if (home.isChanged || hasLanded !== before.hasLanded)
      await writeManifest(slot, { ...before, hasLanded, home: [...home.records] });
    return true;
  } catch {
    // Gates may leave what Ralph cannot read or remove: a new slot costs seconds.
    return false;
  }
}

const readManifest = (slot: Slot): Promise<Manifest | null> => readRecord<Manifest>(manifestFile(slot));

const writeManifest = (slot: Slot, manifest: Manifest): Promise<void> =>
  writeFileWhole(manifestFile(slot), JSON.stringify(manifest), { mode: PRIVATE_FILE });

/** Before the setup: without a record, the slot counts as not set up. */
export async function beginGateFiles(slot: Slot): Promise<void> {
  await rm(manifestFile(slot), { force: true });
  await layHome(slot);
}

/** After the setup. */
export async function recordGateFiles(slot: Slot, input: GateFiles): Promise<void> {
  const files = await withContents(slot.tree, await ignoredFiles(slot, input));
  const home = await recordHome(slot);
  const own: FileRecords = new Map([...home].map(([path, record]) => [path, record.own]));
  // A gate that changes a file at once must leave another record of it.
  for (const records of [files, own]) await untilLater(`${manifestFile(slot)}.clock`, records);
  const tree = await treeOfCommit(slot.repository, input.head.commit);
  await writeManifest(slot, { tree, hasLanded: false, files: [...files], home: [...home] });
}

async function restoreIgnored(slot: Slot, before: FileRecords, input: GateFiles): Promise<boolean> {
  const now = await ignoredFiles(slot, input);
  const isKept = keptFile(slot, input);
  removeFiles(
    slot.tree,
    [...now.keys()].filter((path) => !before.has(path) && !isKept(path)),
  );
  // A folder is named by itself only while nothing in it is tracked.
  const others = [...before.keys()].filter((path) => !now.has(path));
  const unlisted = await recordFiles(slot.tree, others);
  for (const [path, record] of before) {
    const found = now.get(path) ?? unlisted.get(path);
    // Most are the same, and a promise for each would take long.
    if (found !== record && !isKept(path) && !(await isSameFile(slot.tree, path, record, found)))
      return false;
  }
  return true;
}

/** All ignored files but those that are copied from the checkout each time. */
async function ignoredFiles(slot: Slot, { included }: GateFiles): Promise<FileRecords> {
  const own = await ownGit(slot.repository, slot.index, slot.tree);
  const how = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const { stdout } = await git(own, how);
  const records = await recordFiles(slot.tree, stdout.split('\0').slice(0, -1));
  for (const path of included.map(rawPath)) if (records.get(path)?.startsWith('file ')) records.delete(path);
  return records;
}

async function isOnTrunk({ repository }: Slot, tree: string, { trunk }: SlotHead): Promise<boolean> {
  const FAR_ENOUGH = 1_000;
  const { stdout } = await git(
    repository,
    ['log', '--first-parent', `--max-count=${FAR_ENOUGH}`, '--format=%T', trunk.ref],
    { answers: [128] },
  );
  return stdout.split('\n').includes(tree);
}

const HOME = '~/';

/** A pattern also keeps everything below the folders that it matches. */
const keeper = (patterns: readonly string[]) => {
  const matchers = patterns.map((pattern) => matcher(pattern.replace(/\/$/, '')));
  return (path: string): boolean =>
    matchers.length > 0 &&
    path.split('/').some((_, index, parts) => {
      const folder = parts.slice(0, index + 1).join('/');
      return matchers.some((matches) => matches(folder));
    });
};

function keptFile({ tree, root }: Slot, { slots: { keep } }: GateFiles): (path: string) => boolean {
  const prefix = relative(tree, root);
  const matches = keeper(keep.filter((pattern) => !pattern.startsWith(HOME)));
  return (path) => {
    const text = pathText(path);
    if (prefix === '') return matches(text);
    return text.startsWith(`${prefix}/`) && matches(text.slice(prefix.length + 1));
  };
}

function keptHome({ slots: { keep } }: GateFiles): (path: string) => boolean {
  const patterns = keep.flatMap((one) => (one.startsWith(HOME) ? [one.slice(HOME.length)] : []));
  const matches = keeper(patterns);
  return (path) => matches(pathText(path));
}

/** Removes the copies of the person's files, secrets among them. What a setup made stays: it runs only once in a slot. */
export async function clearGateHomes(place: SlotPlace): Promise<void> {
  for (const { slot } of await listSlots(place)) {
    if (slot.kind !== 'gates' || !(await lockSlot(slot))) continue;
    try {
      clearHome(slot, new Map((await readManifest(slot))?.home ?? []));
    } finally {
      await releaseSlot(slot);
    }
  }
}
