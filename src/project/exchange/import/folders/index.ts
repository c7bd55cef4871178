// The folders of other tools that Ralph imports, in the order in which it tries them.
import type { Backlog, Source } from '../../../../domain/exchange/backlog.ts';
import { readBacklogFiles, recognisesBacklogMd } from '../backlog-md.ts';
import { isCcpmFile, readCcpm, recognisesCcpm } from '../ccpm.ts';
import { readClaudeTasks, recognisesClaudeTasks } from '../claude-tasks.ts';
import { collect } from '../collect.ts';
import { parseJson } from '../json.ts';
import { addMarkdown } from '../markdown/read-markdown.ts';
import { foldersWith, folderWithin, type SourceFolder } from './source-folder.ts';
import { readSpecFolders } from './spec-folder.ts';

// A folder of stories, as BMAD writes them: one file a story, its heading of the first level is the task.

const STORY = /^# Story \d/m;

/** Null if no file directly in the folder is a story. */
function readStories({ name, texts }: SourceFolder): Backlog[] | null {
  const stories = [...texts].filter(([path, text]) => /^[^/]+\.md$/.test(path) && STORY.test(text));
  if (stories.length === 0) return null;
  const collector = collect();
  for (const [path, text] of stories) addMarkdown(collector, text, `${name}/${path}`, null);
  return [collector.backlog({ source: 'markdown', board: name, isOneBoard: false, partsFirst: true })];
}

type FolderFormat = {
  source: Source;
  /** One backlog for each board that the folder holds; null if it is no folder of this tool. */
  read(folder: SourceFolder): Backlog[] | null;
};

const FOLDER_FORMATS: readonly FolderFormat[] = [
  { source: 'backlog-md', read: readBacklogFolder },
  { source: 'ccpm', read: readEpics },
  { source: 'claude-tasks', read: readTaskList },
  { source: 'markdown', read: readSpecFolders },
  { source: 'markdown', read: readStories },
];

/** `as`: only this format. Null if the folder belongs to no known tool. */
export function readBacklogsIn(folder: SourceFolder, as?: Source): Backlog[] | null {
  for (const { source, read } of FOLDER_FORMATS) {
    const found = as === undefined || as === source ? read(folder) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Not the archive of Backlog.md: its tasks were thrown away. */
function readBacklogFolder({ texts }: SourceFolder): Backlog[] | null {
  const found = [...texts].filter(
    ([path, text]) => /^(?:tasks|completed|drafts)\/[^/]+\.md$/.test(path) && recognisesBacklogMd(text),
  );
  const ordered = ['tasks', 'completed', 'drafts'].flatMap((name) =>
    found.flatMap(([path, text]) => (path.startsWith(`${name}/`) ? [text] : [])),
  );
  return ordered.length === 0 ? null : [readBacklogFiles(ordered)];
}

/** One epic, or the folder of all of them. */
function readEpics(folder: SourceFolder): Backlog[] | null {
  const epics = foldersWith(folder, 'epic.md')
    .map((path) => (path === '' ? folder : folderWithin(folder, path)))
    .filter(({ texts }) => recognisesCcpm(texts.get('epic.md') ?? ''));
  if (epics.length === 0) return null;
  return epics.map(({ name, place, texts }) => {
    const files = [...texts].flatMap(([path, text]) => (isCcpmFile(path) ? [{ path, text }] : []));
    return readCcpm(files, name, place);
  });
}

/** A list of Claude Code: only files with a task each. */
function readTaskList({ name, texts }: SourceFolder): Backlog[] | null {
  const files = [...texts].filter(([path]) => /^[^/]+\.json$/.test(path));
  if (files.length === 0) return null;
  const byNumber = files.sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const tasks = byNumber.map(([path, text]) => parseJson(text, `${name}/${path}`));
  return tasks.every(recognisesClaudeTasks) ? [readClaudeTasks(tasks.flat(), name)] : null;
}
