// Everything a project knows, in one search: learnings, definitions, documents by heading, journal.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../domain/config.ts';
import { searchWords } from '../domain/learnings/search-words.ts';
import { visible } from '../domain/text/text.ts';
import { findFiles } from '../files/find-files.ts';
import { contentOf } from '../files/read-files.ts';
import { secretMatcher } from '../files/secret-files.ts';
import { journalFiles, parseJournal } from '../project/journal/journal.ts';
import { allLearnings } from '../store/learnings/learnings.ts';
import {
  END,
  type FoundEntry,
  openSearchIndex,
  type SearchEntry,
  type SearchSource,
  START,
} from '../store/learnings/search-index.ts';
import type { Store } from '../store/open.ts';
import { listDisciplines } from '../store/tasks/disciplines.ts';
import { listFeatures } from '../store/tasks/features.ts';
import { listTasks } from '../store/tasks/tasks.ts';
import { splitDocument } from './split-document.ts';

export type { FoundEntry };

/** The snippet as a text, without the signs around the words that were found. */
export const plainSnippet = ({ snippet }: FoundEntry): string =>
  snippet.replaceAll(START, '').replaceAll(END, '');

export type SnippetPart = { text: string; isFound: boolean };

/** The same in parts: what was found, and what stands between. */
export const snippetParts = ({ snippet }: FoundEntry): SnippetPart[] =>
  snippet
    .split(START)
    .flatMap((piece, index) => {
      const [found = '', ...rest] = index === 0 ? ['', piece] : piece.split(END);
      return [
        { text: found, isFound: true },
        { text: rest.join(''), isFound: false },
      ];
    })
    .filter(({ text }) => text !== '');

export type SearchPlace = {
  store: Store;
  root: string;
  stateDir: string;
  config: Pick<Config, 'specs' | 'knowledge'>;
};

export type Query = { text: string; feature: string | null; limit: number };

const WORDS = 32;
/** Of one folder or glob. */
export const DOCUMENTS = 5_000;

export async function search(place: SearchPlace, { text, feature, limit }: Query): Promise<FoundEntry[]> {
  const words = searchWords(text, WORDS);
  // A question of nothing but silent words is still a question.
  const asked = words.length > 0 ? words : text.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  if (asked === null) return [];
  const index = await openSearchIndex(join(place.stateDir, 'search.db'));
  try {
    await index.refresh(await sourcesOf(place));
    return index.find([...new Set(asked)], feature, limit);
  } finally {
    index.close();
  }
}

const sourcesOf = async (place: SearchPlace): Promise<SearchSource[]> => [
  ...(await storedSources(place.store)),
  ...(await documentSources(place)),
  ...(await journalSources(place.root)),
];

const one = (key: string, stamp: string | number, entry: () => SearchEntry): SearchSource => ({
  key,
  stamp: String(stamp),
  entries: async () => {
    const { title, body, ...rest } = entry();
    return [{ ...rest, title: visible(title), body: visible(body) }];
  },
});

const said = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part.trim() !== '').join('\n');

const storedSources = (store: Store): Promise<SearchSource[]> =>
  store.read(async (db) => {
    const features = await listFeatures(db);
    return [
      ...(await allLearnings(db)).map((learning) => {
        const { id, category, body, reason, archived, feature } = learning;
        const stamp = JSON.stringify([category, body, reason, archived !== null]);
        return one(`learning ${id}`, stamp, () => ({
          kind: 'learning',
          ref: String(id),
          title: archived === null ? category : `${category}, archived`,
          body: said(body, reason),
          features: feature === null ? [] : [feature],
        }));
      }),
      ...features.map((feature) =>
        one(`feature ${feature.name}`, feature.updated, () => ({
          kind: 'feature',
          ref: feature.name,
          title: feature.display_name ?? feature.name,
          body: said(
            feature.description,
            feature.architecture,
            feature.boundaries,
            ...feature.acceptance_criteria,
          ),
          features: [feature.name],
        })),
      ),
      ...(await listDisciplines(db)).map((discipline) =>
        one(`discipline ${discipline.name}`, discipline.updated, () => ({
          kind: 'discipline',
          ref: discipline.name,
          title: discipline.display_name ?? discipline.name,
          body: said(discipline.system_prompt, discipline.conventions, ...discipline.skills),
          features: [],
        })),
      ),
      ...(await listTasks(db)).map((task) =>
        one(`task ${task.id}`, task.updated, () => ({
          kind: 'task',
          ref: String(task.id),
          title: task.title,
          body: said(task.description, task.hints, task.pseudocode, ...task.acceptance_criteria),
          features: task.feature === null ? [] : [task.feature],
        })),
      ),
    ];
  });

/** What the features name as knowledge, the specs, and the notes for every prompt. */
async function documentSources({ store, root, config }: SearchPlace): Promise<SearchSource[]> {
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
    for (const found of await findFiles(root, pattern, DOCUMENTS)) {
      if (found.kind !== 'file') continue;
      const owner = owners.get(found.path) ?? { real: found.real, features: new Set<string>() };
      if (name !== null) owner.features.add(name);
      owners.set(found.path, owner);
    }
  const sources = [...owners].map(async ([path, { real, features: of }]): Promise<SearchSource[]> => {
    const found = await stat(join(root, path)).catch(() => null);
    if (found === null) return [];
    const belongs = [...of].sort();
    return [
      {
        key: `document ${path}`,
        stamp: JSON.stringify([found.mtimeMs, found.size, belongs]),
        entries: async () => {
          const content = await contentOf(root, { kind: 'file', path, real }, isSecret);
          return content.kind === 'text' ? passagesOf(path, content.text, belongs) : [];
        },
      },
    ];
  });
  return (await Promise.all(sources)).flat();
}

/** The specs, and the notes for every prompt: what belongs to no feature. */
export const projectDocuments = ({ specs }: Pick<Config, 'specs'>): string[] => [
  ...specs,
  '.ralph/CLAUDE.RALPH.md',
  '.ralph/learnings.txt',
  '.ralph/progress.txt',
];

const passagesOf = (path: string, text: string, features: readonly string[]): SearchEntry[] =>
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
          said(entry.outcome, entry.summary, ...entry.errors, ...entry.decisions, ...entry.files),
        ),
        features: entry.feature === null ? [] : [entry.feature],
      })),
  }));
}
