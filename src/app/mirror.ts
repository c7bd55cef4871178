// The file that `mirror` of the configuration names. A problem with it is one sentence, and the work goes on.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { isBehindLink, requireOwnFile } from '../files/own-file.ts';
import { readText } from '../files/read-text.ts';
import { writeFileWhole } from '../files/write-file.ts';
import type { ProjectPlace } from '../host/project.ts';
import { stampFiles } from '../project/definitions/definition-files.ts';
import { CONFIG_FILE } from '../project/read-config.ts';
import type { Edits, MirrorFile, MirrorResult } from '../queue/exchange/keep-mirror.ts';
import type { Queue } from '../queue/queue.ts';
import { keepFromGit } from './definitions/keep-from-git.ts';
import { readAcceptedConfig } from './definitions/trust.ts';

/** `name`: the file, if the caller has read the configuration already. */
export function openMirror(
  project: MirroredProject,
  tell: (sentence: string) => void = () => {},
  name?: string | null,
): Mirror {
  let last: string | null = null;
  // A problem is told when it begins, and not again while it lasts.
  const update = async (edits: Edits): Promise<Updated> => {
    const updated = await updateFile(project, edits, name);
    if (updated.sentence !== null && updated.sentence !== last) tell(updated.sentence);
    last = updated.sentence;
    return updated;
  };
  return { sync: () => update('take'), setEditsAside: () => update('set aside') };
}

export type Mirror = {
  /** Imports what a person wrote into the file, then writes the file. */
  sync(): Promise<Updated>;
  /** At the end of a session, instead of `sync`: what was written meanwhile may be the agent's, so it is not imported. */
  setEditsAside(): Promise<Updated>;
};

type Updated = {
  isWritten: boolean;
  /** What a person should know; null if nothing. */
  sentence: string | null;
};

type MirroredProject = ProjectPlace & { queue: Queue };

const UNCHANGED: Updated = { isWritten: false, sentence: null };

/** For a process that may change no file: read-only, or started by an agent. */
export const NO_MIRROR: Mirror = { sync: async () => UNCHANGED, setEditsAside: async () => UNCHANGED };

async function updateFile(project: MirroredProject, edits: Edits, mirror?: string | null): Promise<Updated> {
  try {
    const name = mirror === undefined ? await readMirrorName(project) : mirror;
    if (name === null) return UNCHANGED;
    // Imported late: most projects have no mirror, and every command comes by here.
    const [{ implementationFormat }, { keepMirror }] = await Promise.all([
      import('../project/exchange/export/implementation.ts'),
      import('../queue/exchange/keep-mirror.ts'),
    ]);
    const file = mirrorFile(project, name);
    const { verify_feature: verify } = await readAcceptedConfig(project);
    const result = await keepMirror(project.queue, file, implementationFormat, { edits, verify });
    return { isWritten: result.isWritten, sentence: sentenceFor(result, file.label) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { isWritten: false, sentence: `The mirror was left as it is: ${error.message}` };
  }
}

/** Parses the configuration only if its text names a mirror: most projects have none. Others report a wrong configuration. */
async function readMirrorName(project: ProjectPlace): Promise<string | null> {
  const config = join(project.root, CONFIG_FILE);
  const isFile = lstatSync(config, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile || !readFileSync(config, 'utf8').includes('mirror')) return null;
  return readAcceptedConfig(project).then(
    ({ mirror }) => mirror,
    () => null,
  );
}

function sentenceFor({ isLeft, report, set_aside }: MirrorResult, label: string): string | null {
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
/** Where a mirror may lie, and how it is read and written. */
function mirrorFile({ root, stateDir }: ProjectPlace, name: string): MirrorFile {
  const path = resolve(root, name);
  const label = relative(root, path);
  const [first] = label.split(sep);
  if (label === '' || first === '..')
    throw new Refusal(`${name} lies outside of the project; name a file in it in ${CONFIG_FILE}.`);
  if (first === '.git' || first === '.ralph')
    throw new Refusal(`${name} lies where ${first} keeps its own; name another file in ${CONFIG_FILE}.`);
  const exists = (): boolean => existsSync(path);
  return {
    path,
    label,
    stamp: () => (exists() ? stampFiles(root, [label]) : ''),
    read: async () => {
      requireOwnFile(root, label);
      // A link to .git would be a way into it.
      if (isBehindLink(root, label))
        throw new Refusal(`${label} is a link, or behind one; put a file in its place.`);
      return (await readText(path, label)) ?? null;
    },
    write: async (text) => {
      const isNew = !exists();
      await writeFileWhole(path, text);
      // It is state, which belongs into git only if a person adds it.
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
