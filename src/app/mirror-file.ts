// Where a mirror may lie, and how it is read and written.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { isBehindLink, requireOwnFile } from '../files/leaves-project.ts';
import { readText } from '../files/read-text.ts';
import { writeFileWhole } from '../files/write-file.ts';
import type { ProjectPlace } from '../host/project.ts';
import { stampOf } from '../project/definitions/definition-files.ts';
import { CONFIG_FILE } from '../project/read-config.ts';
import type { MirrorFile } from '../queue/exchange/keep-mirror.ts';
import { keepFromGit } from './keep-from-git.ts';

export function mirrorFile({ root, stateDir }: ProjectPlace, name: string): MirrorFile {
  const path = resolve(root, name);
  const label = relative(root, path);
  const [first] = label.split(sep);
  if (label === '' || first === '..')
    throw new Refusal(`${name} lies outside of the project; name a file in it in ${CONFIG_FILE}.`);
  if (first === '.git' || first === '.ralph')
    throw new Refusal(`${name} lies where ${first} keeps its own; name another file in ${CONFIG_FILE}.`);
  const isThere = (): boolean => existsSync(path);
  return {
    path,
    label,
    stamp: () => (isThere() ? stampOf(root, [label]) : ''),
    read: async () => {
      requireOwnFile(root, label);
      // A link to .git would be a way into it.
      if (isBehindLink(root, label))
        throw new Refusal(`${label} is a link, or behind one; put a file in its place.`);
      return (await readText(path, label)) ?? null;
    },
    write: async (text) => {
      const isNew = !isThere();
      await writeFileWhole(path, text);
      // It is state, and no state belongs in git unless somebody puts it there.
      if (isNew) await keepFromGit(root, label);
    },
    hash,
    setAside: async (text) => {
      const aside = join(stateDir, 'set-aside', `${hash(text)}-${basename(label)}`);
      await writeFileWhole(aside, text);
      return aside;
    },
  };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
