// A folder of stories, as BMAD writes them: one file a story, its heading of the first level is the task.
import type { Backlog } from '../../../../domain/exchange/backlog.ts';
import { collect } from '../collect.ts';
import { addMarkdown } from '../markdown/read-markdown.ts';
import type { SourceFolder } from './source-folder.ts';

const STORY = /^# Story \d/m;

/** Null if no file directly in the folder is a story. */
export function readStories({ name, texts }: SourceFolder): Backlog[] | null {
  const stories = [...texts].filter(([path, text]) => /^[^/]+\.md$/.test(path) && STORY.test(text));
  if (stories.length === 0) return null;
  const collector = collect();
  for (const [path, text] of stories) addMarkdown(collector, text, `${name}/${path}`, null);
  return [collector.backlog({ source: 'markdown', board: name, isOneBoard: false, partsFirst: true })];
}
