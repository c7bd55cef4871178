// A repository and slots for it, without a queue: for what slots and landings do with git.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import type { Config } from '../../src/domain/config.ts';
import { adoptSettings, type Place } from '../../src/host/git/own-git.ts';
import { fillSlot } from '../../src/host/slots/fill-slot.ts';
import { type Slot, type SlotPlace, slotAt } from '../../src/host/slots/slot.ts';
import { WITHOUT_MAINTENANCE } from './ralph.ts';
import { runNow } from './run-now.ts';
import { tempDir } from './temp.ts';

export type TestRepository = {
  folder: string;
  /** The project: the top of the repository, or `below` it. */
  root: string;
  top: string;
  place: Place;
  slots: SlotPlace;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  read(path: string): string | null;
  /** Commits everything, and returns the commit. */
  commit(message: string): string;
};

export const SLOTS: Config['slots'] = {
  setup: null,
  setup_seconds: 60,
  stamp: [],
  env: {},
  keep: [],
  clean: false,
  folder: null,
  gates_at_once: null,
};

/** Only the first one of a worker is set up; all others are copies of it. */
export async function slotRepository({
  below = '',
  init = [] as readonly string[],
  /** Of these names, each with a file `NAME.txt`, on top of the first one. */
  commits = [] as readonly string[],
} = {}): Promise<TestRepository> {
  const kind = [...init, '', ...commits].join(' ');
  const prototype = prototypes.get(kind) ?? makePrototype(init, commits);
  prototypes.set(kind, prototype);
  const one = repositoryIn(tempDir(), below);
  cpSync(prototype, one.top, { recursive: true });
  await adoptSettings(one.place);
  return one;
}

const prototypes = new Map<string, string>();

/** Beside the programs of all tests, which are removed when the last one has ended. */
function makePrototype(init: readonly string[], commits: readonly string[]): string {
  const one = repositoryIn(mkdtempSync(join(dirname(inject('worker')), 'repository-')), '');
  one.git('init', '-q', '-b', 'main', ...init);
  introduce(one);
  one.write('src/app.js', 'one\n');
  one.write('lib/tool.js', 'tool\n');
  one.write('.gitignore', 'ignored.txt\ncache/\n.env\n');
  one.commit('First');
  for (const name of commits) {
    one.write(`${name}.txt`, `${name}\n`);
    one.commit(name);
  }
  return one.top;
}

/** Two machines whose repositories have the same remote, which is a folder. */
export async function meetingPlace(): Promise<{
  bare: string;
  first: TestRepository;
  second: TestRepository;
}> {
  const first = await slotRepository();
  const bare = join(tempDir(), 'origin.git');
  first.git('clone', '-q', '--bare', first.top, bare);
  first.git('remote', 'add', 'origin', bare);
  await adoptSettings(first.place);
  const second = repositoryIn(tempDir(), '');
  first.git('clone', '-q', bare, second.top);
  introduce(second);
  await adoptSettings(second.place);
  return { bare, first, second };
}

function introduce({ git }: TestRepository): void {
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
}

function repositoryIn(folder: string, below: string): TestRepository {
  const top = join(folder, 'project');
  const root = join(top, below);
  mkdirSync(root, { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: folder };
  const git = (...args: string[]): string =>
    runNow('git', args, { cwd: top, env: { ...env, ...WITHOUT_MAINTENANCE } }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  const commit = (message: string): string => {
    git('add', '-A');
    git('commit', '-qm', message);
    return git('rev-parse', 'HEAD');
  };
  const place = { root, env, stateDir: join(top, '.git/ralph') };
  const read = (path: string): string | null =>
    existsSync(join(top, path)) ? readFileSync(join(top, path), 'utf8') : null;
  return {
    folder,
    root,
    top,
    place,
    slots: { repository: place, folder: join(folder, 'slots') },
    git,
    write,
    read,
    commit,
  };
}

/** A git that is killed once, before or after it has run the first command that matches, when the file `armed` is there. */
export function withDyingGit(
  repository: TestRepository,
  pattern: string,
  when: 'before' | 'after',
): TestRepository {
  const { folder, write, place } = repository;
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const act = when === 'after' ? `${real} "$@" >/dev/null 2>&1; kill -9 $$` : 'kill -9 $$';
  const script = `case "$*" in ${pattern}) if rm ${folder}/armed 2>/dev/null; then ${act}; fi;; esac`;
  write('../bin/git', `#!/bin/sh\n${script}\nexec ${real} "$@"\n`);
  chmodSync(join(folder, 'bin/git'), 0o755);
  const env = { ...place.env, PATH: `${folder}/bin:${place.env['PATH']}` };
  return {
    ...repository,
    slots: { ...repository.slots, repository: { ...place, env } },
    place: { ...place, env },
  };
}

export const TRUNK = { branch: 'main', ref: 'refs/heads/ralph/main' };

export const firstSlot = (repository: TestRepository): Slot => slotAt(repository.slots, 'work', 1, 1);

/** A slot with the files of a commit. */
export async function filled(
  repository: TestRepository,
  { slot = firstSlot(repository), commit = repository.git('rev-parse', 'HEAD'), isClean = false } = {},
): Promise<Slot & { isNew: boolean }> {
  const head = { commit, branch: 'task-1', trunk: TRUNK };
  const { isNew } = await fillSlot(slot, { head, tree: commit, isClean });
  return { ...slot, isNew };
}

/** Writes a file of a slot. */
export function writeIn(slot: Slot, path: string, text: string): void {
  mkdirSync(dirname(join(slot.tree, path)), { recursive: true });
  writeFileSync(join(slot.tree, path), text);
}
