// Searches everything that a project knows: learnings, definitions, documents by heading, journal.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../domain/config.ts';
import type { Learning } from '../domain/learnings/learning.ts';
import { searchWords } from '../domain/learnings/search-words.ts';
import { visible } from '../domain/text/text.ts';
import { type AcceptedFiles, acceptedContent } from '../files/accepted-files.ts';
import { findFiles } from '../files/find-files.ts';
import { readFoundFile } from '../files/read-files.ts';
import { secretMatcher } from '../files/secret-files.ts';
import { journalFiles, parseJournal } from '../project/journal/journal.ts';
import { allLearnings } from '../store/learnings/learnings.ts';
import {
  type FoundEntry,
  MATCH_END,
  MATCH_START,
  openSearchIndex,
  type SearchEntry,
  type SearchSource,
} from '../store/learnings/search-index.ts';
import type { Store } from '../store/open.ts';
import { listDisciplines } from '../store/tasks/disciplines.ts';
import { listFeatures } from '../store/tasks/features.ts';
import { listTasks } from '../store/tasks/tasks.ts';
import { splitDocument } from './split-document.ts';

export type { FoundEntry };

/** The snippet without the markers around matching words. */
export const plainSnippet = ({ snippet }: FoundEntry): string =>
  snippet.replaceAll(MATCH_START, '').replaceAll(MATCH_END, '');

export type SnippetPart = { text: string; isFound: boolean };

/** The snippet in parts: matching words, and the text between them. */
export const snippetParts = ({ snippet }: FoundEntry): SnippetPart[] =>
  snippet
    .split(MATCH_START)
    .flatMap((piece, index) => {
      const [found = '', ...rest] = index === 0 ? ['', piece] : piece.split(MATCH_END);
      return [
        { text: found, isFound: true },
        { text: rest.join(''), isFound: false },
      ];
    })
    .filter(({ text }) => text !== '');

type SearchContext = {
  store: Store;
  root: string;
  stateDir: string;
  /** What counts of the files below `.ralph`. */
  accepted?: AcceptedFiles;
  config: Pick<Config, 'specs' | 'knowledge'>;
};

export type SearchQuery = { text: string; feature: string | null; limit: number };

const MAX_WORDS = 32;
/** Per folder or glob. */
export const MAX_DOCUMENTS = 5_000;

export async function search(
  context: SearchContext,
  { text, feature, limit }: SearchQuery,
): Promise<FoundEntry[]> {
  const words = searchWords(text, MAX_WORDS);
  // A query of stop words alone is still searched.
  const queryWords = words.length > 0 ? words : text.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  if (queryWords === null) return [];
  const index = await openSearchIndex(join(context.stateDir, 'search.db'));
  try {
    await index.refresh(await listSources(context));
    return index.find([...new Set(queryWords)], feature, limit);
  } finally {
    index.close();
  }
}

const listSources = async (context: SearchContext): Promise<SearchSource[]> => [
  ...(await storedSources(context.store)),
  ...(await documentSources(context)),
  ...(await journalSources(context.root)),
];

const storedSource = (key: string, stamp: string | number, entry: () => SearchEntry): SearchSource => ({
  key,
  stamp: String(stamp),
  entries: async () => {
    const { title, body, ...rest } = entry();
    return [{ ...rest, title: visible(title), body: visible(body) }];
  },
});

const joinTexts = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part.trim() !== '').join('\n');

/** Agents search here, too: what no gate and no person vouched for is not knowledge yet. */
const isGiven = ({ proven }: Learning): boolean => proven !== null;

const storedSources = (store: Store): Promise<SearchSource[]> =>
  store.read(async (db) => {
    const features = await listFeatures(db);
    return [
      ...(await allLearnings(db)).filter(isGiven).map((learning) => {
        const { id, category, body, reason, archived, feature } = learning;
        const stamp = JSON.stringify([category, body, reason, archived !== null]);
        return storedSource(`learning ${id}`, stamp, () => ({
          kind: 'learning',
          ref: String(id),
          title: archived === null ? category : `${category}, archived`,
          body: joinTexts(body, reason),
          features: feature === null ? [] : [feature],
        }));
      }),
      ...features.map((feature) =>
        storedSource(`feature ${feature.name}`, feature.updated, () => ({
          kind: 'feature',
          ref: feature.name,
          title: feature.display_name ?? feature.name,
          body: joinTexts(
            feature.description,
            feature.architecture,
            feature.boundaries,
            ...feature.acceptance_criteria,
          ),
          features: [feature.name],
        })),
      ),
      ...(await listDisciplines(db)).map((discipline) =>
        storedSource(`discipline ${discipline.name}`, discipline.updated, () => ({
          kind: 'discipline',
          ref: discipline.name,
          title: discipline.display_name ?? discipline.name,
          body: joinTexts(discipline.system_prompt, discipline.conventions, ...discipline.skills),
          features: [],
        })),
      ),
      ...(await listTasks(db)).map((task) =>
        storedSource(`task ${task.id}`, task.updated, () => ({
          kind: 'task',
          ref: String(task.id),
          title: task.title,
          body: joinTexts(task.description, task.hints, task.pseudocode, ...task.acceptance_criteria),
          features: task.feature === null ? [] : [task.feature],
        })),
      ),
    ];
  });

/** The documents that features name as knowledge, and those of the project. */
async function documentSources({
  store,
  root,
  accepted = null,
  config,
}: SearchContext): Promise<SearchSource[]> {
  const features = await store.read((db) => listFeatures(db));
  const named = [
    ...features.flatMap(({ name, knowledge_paths, spec_file }) =>
      [...knowledge_paths, ...(spec_file === null ? [] : [spec_file])].map((pattern) => ({ pattern, name })),
    ),
    ...projectDocuments(config).map((pattern) => ({ pattern, name: null })),
  ];
  const isSecret = secretMatcher(config.knowledge.secrets);
  const owners = new Map<string, { real: string; features: Set<string> }>();
  for (const { pattern, name } of named)
    for (const found of await findFiles(root, pattern, MAX_DOCUMENTS)) {
      if (found.kind !== 'file') continue;
      const owner = owners.get(found.path) ?? { real: found.real, features: new Set<string>() };
      if (name !== null) owner.features.add(name);
      owners.set(found.path, owner);
    }
  const sources = [...owners].map(async ([path, { real, features: of }]): Promise<SearchSource[]> => {
    const found = await stat(join(root, path)).catch(() => null);
    if (found === null) return [];
    const featureNames = [...of].sort();
    return [
      {
        key: `document ${path}`,
        stamp: JSON.stringify([found.mtimeMs, found.size, featureNames, acceptedStamp(accepted, real)]),
        entries: async () => {
          const content = await readFoundFile(root, { kind: 'file', path, real }, isSecret, accepted);
          return content.kind === 'text' ? documentEntries(path, content.text, featureNames) : [];
        },
      },
    ];
  });
  return (await Promise.all(sources)).flat();
}

/** Null for a file that is read from the disk. */
function acceptedStamp(accepted: AcceptedFiles, path: string): string | null {
  const content = acceptedContent(accepted, path);
  return content === undefined
    ? null
    : createHash('sha256')
        .update(content ?? '')
        .digest('hex');
}

/** Documents that belong to no feature: the specs, and the notes for every prompt. */
export const projectDocuments = ({ specs }: Pick<Config, 'specs'>): string[] => [
  ...specs,
  '.ralph/CLAUDE.RALPH.md',
  '.ralph/learnings.txt',
  '.ralph/progress.txt',
];

const documentEntries = (path: string, text: string, features: readonly string[]): SearchEntry[] =>
  splitDocument(text).map((passage) => ({
    kind: 'document',
    ref: `${path}:${passage.line}`,
    title: visible(passage.heading ?? path),
    body: visible(passage.text),
    features,
  }));

async function journalSources(root: string): Promise<SearchSource[]> {
  return (await journalFiles(root)).map(({ path, size, modified, read }) => ({
    key: `journal ${path}`,
    stamp: JSON.stringify([size, modified]),
    entries: async () =>
      parseJournal(path, await read()).entries.map(({ entry }) => ({
        kind: 'journal',
        ref: entry.session,
        title: visible(`#${entry.task} ${entry.title}`),
        body: visible(
          joinTexts(entry.outcome, entry.summary, ...entry.errors, ...entry.decisions, ...entry.files),
        ),
        features: entry.feature === null ? [] : [entry.feature],
      })),
  }));
}
