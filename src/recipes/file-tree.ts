// A list of paths as a tree that fits a budget: upper folders first, the rest as counts.
import { plural, singleLine, truncate, visible } from '../domain/text/text.ts';
import { countTokens } from './tokens.ts';

type Folder = {
  /** With a slash at its end; a folder that holds only another one shares its line. */
  label: string;
  files: readonly string[];
  folders: readonly Folder[];
  /** The number of files in it and below it. */
  count: number;
};

/** Names of one folder: the first ones show how it names its files. */
const MAX_NAMES = 25;
const MAX_NAME = 60;
const NONE_OPEN: ReadonlySet<Folder> = new Set();

/** The same text for the same set of paths. A path that ends with a slash is a folder whose files are unknown. */
export function fileTree(paths: readonly string[], maxTokens: number): string {
  const root = readFolder('', [...new Set(paths)].map(splitPath));
  const open = new Set<Folder>();
  let left = maxTokens;
  for (let level = [root]; level.length > 0; ) {
    const opened: Folder[] = [];
    for (const folder of level) {
      // Its folders closed, which costs no less than open ones; every indentation costs the same.
      const cost = countTokens(treeLines(folder, '  ', NONE_OPEN).join('\n')) + 1;
      if (cost > left) continue;
      left -= cost;
      opened.push(folder);
      open.add(folder);
    }
    level = opened.flatMap(({ folders }) => folders.slice(0, MAX_NAMES));
  }
  return open.has(root) ? treeLines(root, '', open).join('\n') : plural(root.count, 'file');
}

const splitPath = (path: string): string[] => {
  const parts = path.split('/').filter((part) => part !== '');
  return path.endsWith('/') && parts.length > 0 ? [...parts.slice(0, -1), `${parts.at(-1)}/`] : parts;
};

/** `paths`: the parts below the folder. */
function readFolder(label: string, paths: readonly (readonly string[])[]): Folder {
  const files: string[] = [];
  const below = new Map<string, string[][]>();
  for (const [name, ...parts] of paths) {
    if (name === undefined) continue;
    const siblings = below.get(name) ?? [];
    if (parts.length === 0) files.push(name);
    else below.set(name, siblings);
    siblings.push(parts);
  }
  const folders = [...below.keys()]
    .sort()
    .map((name) => readFolder(`${showName(name)}/`, below.get(name) ?? []));
  const [only] = folders;
  if (label !== '' && files.length === 0 && folders.length === 1 && only !== undefined)
    return { ...only, label: `${label}${only.label}` };
  const count = folders.reduce((sum, folder) => sum + folder.count, files.length);
  return { label, files: files.sort().map(showName), folders, count };
}

const showName = (name: string): string => truncate(visible(singleLine(name)), MAX_NAME) || '?';

/** The lines of an open folder. */
function treeLines({ files, folders }: Folder, indent: string, open: ReadonlySet<Folder>): string[] {
  const names = [...files.slice(0, MAX_NAMES), ...rest(files, 'file')];
  return [
    ...(names.length === 0 ? [] : [`${indent}${names.join(', ')}`]),
    ...folders
      .slice(0, MAX_NAMES)
      .flatMap((folder) =>
        open.has(folder)
          ? [`${indent}${folder.label}`, ...treeLines(folder, `${indent}  `, open)]
          : [`${indent}${folder.label} (${plural(folder.count, 'file')})`],
      ),
    ...rest(folders, 'folder').map((text) => `${indent}${text}`),
  ];
}

const rest = (all: readonly unknown[], noun: string): string[] =>
  all.length <= MAX_NAMES ? [] : [`and ${plural(all.length - MAX_NAMES, `more ${noun}`)}`];
