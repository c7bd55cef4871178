// The file that `mirror` of the configuration names. Whatever is wrong with it is one sentence, and the work goes on.

import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { isBehindLink, requireOwnFile } from '../files/own-file.ts';
import { readText } from '../files/read-text.ts';
import { writeFileWhole } from '../files/write-file.ts';
import type { ProjectPlace } from '../host/project.ts';
import { stampFiles } from '../project/definitions/definition-files.ts';
import { CONFIG_FILE, readConfig } from '../project/read-config.ts';
import type { Edits, Kept, MirrorFile } from '../queue/exchange/keep-mirror.ts';
import { keepFromGit } from './keep-from-git.ts';
import type { Project } from './open-project.ts';

export type Followed = {
  isWritten: boolean;
  /** What a person should know; null where there is nothing. */
  sentence: string | null;
};

const NOT_FOLLOWED: Followed = { isWritten: false, sentence: null };

/** `mirror`: the file, where the one who asks has read the configuration already. */
export async function followQueue(project: Project, edits: Edits, mirror?: string | null): Promise<Followed> {
  try {
    const name = mirror === undefined ? await mirrorOf(project.root) : mirror;
    if (name === null) return NOT_FOLLOWED;
    // Imported late: most projects have no mirror, and every command comes by here.
    const [{ mirrorFile }, { implementationFormat }, { keepMirror }] = await Promise.all([
      import('./mirror.ts'),
      import('../project/exchange/export/implementation.ts'),
      import('../queue/exchange/keep-mirror.ts'),
    ]);
    const file = mirrorFile(project, name);
    const { verify_feature: verify } = await readConfig(project.root);
    const kept = await keepMirror(project.queue, file, implementationFormat, { edits, verify });
    return { isWritten: kept.isWritten, sentence: sentenceFor(kept, file.label) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { isWritten: false, sentence: `The mirror was left as it is: ${error.message}` };
  }
}

/** True where the file was written. */
export type Follow = (edits: Edits) => Promise<boolean>;

/** The same trouble is told when it begins, and not at every look. */
export function follower(project: Project, tell: (sentence: string) => void, mirror?: string | null): Follow {
  let last: string | null = null;
  return async (edits) => {
    const { isWritten, sentence } = await followQueue(project, edits, mirror);
    if (sentence !== null && sentence !== last) tell(sentence);
    last = sentence;
    return isWritten;
  };
}

/** Most projects have none, and a look at the text is all that it costs them. A wrong configuration is told by who needs it. */
async function mirrorOf(root: string): Promise<string | null> {
  const config = join(root, CONFIG_FILE);
  const isFile = lstatSync(config, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile || !readFileSync(config, 'utf8').includes('mirror')) return null;
  return readConfig(root).then(
    ({ mirror }) => mirror,
    () => null,
  );
}

function sentenceFor({ isLeft, report, set_aside }: Kept, label: string): string | null {
  if (isLeft)
    return `${label} was changed while a session is at work; it is left as it is until that has ended.`;
  if (set_aside !== null)
    return `${label} was changed while a session was at work; its change was not taken in, and is kept. To take it in: ralph import ${set_aside}`;
  if (report === null) return null;
  const gone =
    report.gone.length === 0
      ? []
      : [`Taken out of it, and still in the queue: ${report.gone.map((id) => `#${id}`).join(' ')}.`];
  const [first, ...more] = [...report.problems, ...gone];
  if (first === undefined) return null;
  return `${label} came in, but: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
}
// Where a mirror may lie, and how it is read and written.

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
    stamp: () => (isThere() ? stampFiles(root, [label]) : ''),
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
