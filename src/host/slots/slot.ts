// A slot is a checkout of Ralph's own, outside the person's repository, in which one session works or gates judge. It borrows
// the objects of the person's repository. Ralph reads and writes its files with Ralph's own git settings and index.
import { join, relative } from 'node:path';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';

type SlotKind = 'work' | 'gates';

export type Slot = {
  kind: SlotKind;
  /** Unique among the slots of a run, for ports and databases. */
  number: number;
  /** Holds the files below, and nothing that a session may change but `tree` and `tmp`. */
  folder: string;
  tree: string;
  /** The project inside the tree: it may be a folder of the repository. */
  root: string;
  tmp: string;
  /** Ralph's own index of the tree. */
  index: string;
  /** The home that this process has made for gates; each slot for gates has a copy of it. Null if it runs no gates. */
  runHome: string | null;
  /** The person's repository. */
  repository: Place;
};

/** `home`: the home of gates that this process has made. */
export type SlotPlace = { repository: Place; folder: string; home?: string };

/** `nth`: counts from 1 for each kind. */
export function slotAt(
  { repository, folder: slots, home }: SlotPlace,
  kind: SlotKind,
  nth: number,
  number: number,
): Slot {
  const folder = join(slots, `${kind}-${nth}`);
  const tree = join(folder, 'tree');
  const worktree = findGit(repository.root)?.worktree ?? repository.root;
  return {
    kind,
    number,
    folder,
    tree,
    root: join(tree, relative(worktree, repository.root)),
    tmp: join(folder, 'tmp'),
    index: join(folder, 'index'),
    runHome: home ?? null,
    repository,
  };
}

/** Of the setup that the slot has had. Beside the slot, where no session writes. */
export const stampFile = ({ folder }: Pick<Slot, 'folder'>): string => `${folder}.stamp`;

/** Of the files that a setup left in a slot for gates. */
export const manifestFile = ({ folder }: Pick<Slot, 'folder'>): string => `${folder}.manifest`;

const PORT_BASE = 20_000;
const PORTS_PER_SLOT = 100;

/** Variables for everything that runs in a slot. Two slots never share a port, a temporary folder or what `env` names. */
export function slotEnvironment(
  { number, tmp }: Slot,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = Object.entries(env).map(([name, value]) => [name, value.replaceAll('{slot}', String(number))]);
  return {
    ...Object.fromEntries(own),
    RALPH_SLOT: String(number),
    RALPH_PORT: String(PORT_BASE + PORTS_PER_SLOT * number),
    TMPDIR: tmp,
  };
}
