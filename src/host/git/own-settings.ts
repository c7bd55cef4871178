// The part of a person's git configuration that Ralph's own git directory adopts, before an agent can change it.
import { mkdir, readFile, rename } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { writeFileWhole } from '../../files/write-file.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import type { Git, Setting } from './git.ts';
import type { GitPlace } from './git-directory.ts';
import { scopedSettings } from './persons-settings.ts';

/** Settings that decide what git takes for a file's content. */
const CORE = /^core\.(filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|excludesfile)$/;
/** Ralph pushes to the remotes that the person had when the run began. */
const OTHERS = /^(extensions\.objectformat|remote\..*\.(url|pushurl))$/;

export async function writeSettings(place: Git, found: GitPlace, folder: string): Promise<void> {
  const settings = new Map(
    (await scopedSettings(place)).filter(isAdopted).map(({ key, value }) => [key, value]),
  );
  const own = await readFile(excludeFile(found), 'utf8').catch(() => '');
  const [patterns, config] = [await excludes(place, own, settings), configText(settings)];
  await mkdir(join(folder, 'refs'), { recursive: true });
  await writeIfOther(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  await writeIfOther(join(folder, 'info', 'exclude'), patterns);
  await writeIfOther(adoptedFile(folder), own);
  await writeIfOther(join(folder, 'config'), config);
  rulesByFolder.set(folder, `${config}\0${patterns}`);
}

/** Before every session they are the same. To rename a new file over another one, the system may wait for the disk. */
async function writeIfOther(path: string, text: string): Promise<void> {
  const now = await readFile(path, 'utf8').catch(() => null);
  if (now !== text) await writeFileWhole(path, text, { mode: PRIVATE_FILE, isDurable: false });
}

/** By Ralph's own git directory. */
const rulesByFolder = new Map<string, string>();

/** What decides, beside the files themselves, which of them git sees and how; null if another process adopted it. */
export const adoptedRules = (folder: string): string | null => rulesByFolder.get(folder) ?? null;

/** An agent may have set `core.excludesfile` of the repository. */
const isAdopted = ({ key, scope }: Setting): boolean =>
  key === 'core.excludesfile' ? scope === 'global' || scope === 'system' : CORE.test(key) || OTHERS.test(key);

function configText(settings: ReadonlyMap<string, string>): string {
  const objectFormat = settings.get('extensions.objectformat');
  const adopted = [...settings]
    .filter(([key]) => key.startsWith('core.') && key !== 'core.excludesfile')
    .map(([key, value]) => `\t${key.slice('core.'.length)} = ${JSON.stringify(value)}\n`);
  return [
    '[core]\n',
    `\trepositoryformatversion = ${objectFormat === undefined ? 0 : 1}\n`,
    '\tbare = false\n\texcludesFile = /dev/null\n\tattributesFile = /dev/null\n',
    ...adopted,
    ...(objectFormat === undefined
      ? []
      : [`[extensions]\n\tobjectFormat = ${JSON.stringify(objectFormat)}\n`]),
    ...[...settings].flatMap(([key, value]) => remoteText(key, value)),
  ].join('');
}

function remoteText(key: string, value: string): string[] {
  const [, name, field] = /^remote\.(.+)\.(url|pushurl)$/.exec(key) ?? [];
  return name === undefined
    ? []
    : [`[remote ${JSON.stringify(name)}]\n\t${field} = ${JSON.stringify(value)}\n`];
}

/** The patterns outside the tree: the person's global ones, and those of this repository. */
async function excludes({ env }: Git, own: string, settings: ReadonlyMap<string, string>): Promise<string> {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '/nonexistent', '.config');
  const named = settings.get('core.excludesfile')?.replace(/^~(?=\/)/, env['HOME'] ?? '~');
  const everywhere = named ?? join(folder, 'git', 'ignore');
  const text = isAbsolute(everywhere) ? await readFile(everywhere, 'utf8').catch(() => '') : '';
  return `${text}\n${own}\n`;
}

const excludeFile = ({ commonDir }: GitPlace): string => join(commonDir, 'info', 'exclude');
const adoptedFile = (folder: string): string => join(folder, 'info', 'adopted');

/** True if the repository's excludes had changed. Keeps the changed file beside the restored one: a person may have changed it. */
export async function putBackExcludes(found: GitPlace, folder: string): Promise<boolean> {
  const adopted = await readFile(adoptedFile(folder), 'utf8').catch(() => null);
  const path = excludeFile(found);
  if (adopted === null || adopted === (await readFile(path, 'utf8').catch(() => ''))) return false;
  // Rename: a link in its place is moved away and not followed.
  await rename(path, `${path}.changed`).catch(() => {});
  await writeFileWhole(path, adopted);
  return true;
}
