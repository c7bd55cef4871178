// The file that `mirror` of the configuration names. Whatever is wrong with it is one sentence, and the work goes on.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { CONFIG_FILE, readConfig } from '../project/read-config.ts';
import type { Edits, Kept } from '../queue/exchange/keep-mirror.ts';
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
    const [{ mirrorFile }, { implementationForm }, { keepMirror }] = await Promise.all([
      import('./mirror-file.ts'),
      import('../project/exchange/export/implementation.ts'),
      import('../queue/exchange/keep-mirror.ts'),
    ]);
    const file = mirrorFile(project, name);
    const { verify_feature: verify } = await readConfig(project.root);
    const kept = await keepMirror(project.queue, file, implementationForm, { edits, verify });
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
