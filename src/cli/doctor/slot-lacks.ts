// What a checkout has and a slot lacks: the likely causes of a gate that is red in the slot only.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { plural, visible } from '../../domain/text/text.ts';
import { git, headCommit } from '../../host/git/git.ts';
import { withHeadIndex } from '../../host/git/own-git.ts';
import { pathText } from '../../host/git/raw-path.ts';
import { changesBetween } from '../../host/git/tree-changes.ts';
import { takeTree } from '../../host/git/work-tree.ts';
import type { Slot } from '../../host/slots/slot.ts';
import { readRepository } from '../../project/init/repository.ts';
import { suggestSetup } from '../../project/init/suggest-setup.ts';
import { CONFIG_FILE } from '../../project/read-config.ts';
import type { Finding } from './checks.ts';

/** Paths relative to the top of the repository; a folder ends with a slash. */
export type Lacks = {
  /** Ignored by git. */
  ignored: readonly string[];
  /** The checkout has them otherwise than the commit that the slot holds. */
  changed: readonly string[];
};

/** Ralph's own files, which no gate needs. */
const OWN = /(^|\/)(\.ralph\/|ralph\.json(\.old)?$)/;

/** `tree`: the files that the slot holds. */
export async function findLacks({ repository, tree: slotTree }: Slot, tree: string): Promise<Lacks> {
  const { stdout } = await withHeadIndex(repository, await headCommit(repository), (own) =>
    git(own, ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']),
  );
  const ignored = stdout
    .split('\0')
    .filter((path) => path !== '')
    .map(pathText);
  const checkout = (await takeTree(repository))?.tree ?? tree;
  return {
    ignored: ignored.filter((path) => !OWN.test(path) && !existsSync(join(slotTree, path))).sort(),
    changed: (await changesBetween(repository, tree, checkout)).map(({ path }) => pathText(path)),
  };
}

const MAX_NAMED = 10;

const named = (paths: readonly string[]): string =>
  paths.length <= MAX_NAMED
    ? paths.join(', ')
    : `${paths.slice(0, MAX_NAMED).join(', ')} and ${paths.length - MAX_NAMED} more`;

const SETTINGS_FILE = /(^|\/)\.env(\.[\w-]+)*$/;

/** Each says what to do about one likely cause. */
export function lackFindings(
  { ignored, changed }: Lacks,
  { slots }: Pick<Config, 'slots'>,
  root: string,
): Finding[] {
  const setup = slots.setup === null ? suggestSetup(readRepository(root)) : null;
  const settings = ignored.filter((path) => SETTINGS_FILE.test(path));
  const found: [name: string, detail: string | null][] = [
    [
      'setup',
      setup === null
        ? null
        : `there is ${setup.stamp.join(' and ')}, but no command that installs it in a slot; add to ${CONFIG_FILE}: slots: { setup: ${JSON.stringify(setup.command)}, stamp: ${JSON.stringify(setup.stamp)} }`,
    ],
    [
      'settings',
      settings.length === 0
        ? null
        : `slots have no ${named(settings)}; name it in a file .worktreeinclude, and each slot gets a copy`,
    ],
    [
      'ignored',
      ignored.length === 0
        ? null
        : `git ignores ${plural(ignored.length, 'path')} that your checkout has and a slot lacks: ${named(ignored)}. Let slots.setup make them, or name them in .worktreeinclude.`,
    ],
    [
      'uncommitted',
      changed.length === 0
        ? null
        : `your checkout differs from the commit that slots begin with: ${named(changed)}. Commit what the gates need.`,
    ],
  ];
  return found.flatMap(([name, detail]) =>
    detail === null ? [] : [{ name, ok: false, detail: visible(detail) }],
  );
}
