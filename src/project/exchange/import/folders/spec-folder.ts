// spec-kit, OpenSpec and Kiro: a folder is a feature, tasks.md its checklist, and the documents beside it what sessions read.
import { dirname } from 'node:path';
import type { Backlog } from '../../../../domain/exchange/backlog.ts';
import { collect } from '../collect.ts';
import { sectionItems } from '../markdown/checklist.ts';
import { allSections, parseDocument } from '../markdown/document.ts';
import { addMarkdown, recognisesMarkdown } from '../markdown/read-markdown.ts';
import { foldersWith, folderWithin, readSourceFolder, type SourceFolder } from './source-folder.ts';

const TASKS = 'tasks.md';
const DOCUMENTS = [
  'spec.md',
  'requirements.md',
  'proposal.md',
  'bugfix.md',
  'plan.md',
  'design.md',
  'research.md',
  'data-model.md',
  'quickstart.md',
  'contracts',
  'specs',
];

/** OpenSpec moves what is finished there. */
const isArchived = (path: string): boolean => path.split('/').includes('archive');

/** Null if no tasks.md is there. */
export function readSpecFolders(folder: SourceFolder): Backlog[] | null {
  const places = foldersWith(folder, TASKS).filter((path) => !isArchived(path));
  const specs = places.map((path) => (path === '' ? folder : folderWithin(folder, path)));
  const found = specs.flatMap((spec) => readSpecFolder(spec) ?? []);
  return found.length === 0 ? null : found;
}

/** For a tasks.md that a person names: the folder around it; null if no document lies there. */
export async function readSpecFile(root: string, full: string, label: string): Promise<Backlog[] | null> {
  const folder = await readSourceFolder(root, dirname(full), dirname(label));
  const backlog = findDocuments(folder).length === 0 ? null : readSpecFolder(folder);
  return backlog === null ? null : [backlog];
}

function readSpecFolder(folder: SourceFolder): Backlog | null {
  const { name, place, texts } = folder;
  const file = place === null ? `${name}/${TASKS}` : `${place}/${TASKS}`;
  const text = texts.get(TASKS) ?? '';
  if (!recognisesMarkdown(text, file)) return null;
  const collector = collect();
  const documents = findDocuments(folder);
  const criteria = allSections(parseDocument(text, file)).filter(({ kind }) => kind === 'criteria');
  const feature = collector.feature(name, {
    acceptance_criteria: criteria.flatMap(sectionItems),
    knowledge_paths: place === null ? [] : documents.map((path) => `${place}/${path}`),
  });
  if (place === null && documents.length > 0)
    collector.problem(`${name} lies outside the project, so no session reads ${documents.join(', ')}.`);
  addMarkdown(collector, text, file, feature);
  return collector.backlog({ source: 'markdown', board: name, isOneBoard: false, partsFirst: true });
}

export const findDocuments = ({ paths }: Pick<SourceFolder, 'paths'>): string[] =>
  DOCUMENTS.filter((name) => paths.some((path) => path === name || path.startsWith(`${name}/`)));
