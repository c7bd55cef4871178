// prd.json and its relatives: stories with criteria that pass or do not. Every tool that copied the format spells it in its own way.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import { type Collector, collect } from './collect.ts';
import { hasContent } from './content.ts';
import type { Json } from './json.ts';
import { isRecord, SourceRecord } from './source-record.ts';
import { SHORT_TITLE, titleFrom } from './title.ts';
import { rankPriority, STATUS_WORDS } from './words.ts';

const LISTS = ['userStories', 'user_stories', 'stories', 'tasks', 'features', 'items'];
const GROUPS = ['phases', 'epics', 'milestones', 'features'];

/** Ralph's own definitions may be JSON, too, and have some of the same names. */
const OWN_KEYS = ['metadata', 'disciplines', 'features', 'tasks', 'learnings'];
const STORY_KEYS = [
  'passes',
  'acceptanceCriteria',
  'acceptance',
  'steps',
  'dependsOn',
  'affectedFiles',
  'userStory',
  'completed',
];
const TASK_MASTER_KEYS = ['subtasks', 'testStrategy', 'details'];

type Group = { label: string | null; description: string | null; stories: readonly Json[] };

export const recognisesPrd = (value: unknown): boolean => {
  if (Array.isArray(value))
    return value.length > 0 && value.every(isRecord) && value.some((one) => hasAny(one, STORY_KEYS));
  if (!isRecord(value)) return false;
  const { prd } = value;
  if (isRecord(prd)) return findList(prd) !== undefined || findGroups(prd) !== null;
  if (Array.isArray(prd)) return true;
  if (['userStories', 'user_stories', 'stories'].some((key) => Array.isArray(value[key]))) return true;
  if (findGroups(value) !== null) return true;
  const stories = LISTS.flatMap((key) => recordList(value[key]));
  if (stories.length === 0 || stories.some((one) => hasAny(one, TASK_MASTER_KEYS))) return false;
  return (
    stories.some((one) => hasAny(one, STORY_KEYS)) ||
    Object.keys(value).some((key) => !OWN_KEYS.includes(key) && key !== '$schema')
  );
};

const hasAny = (value: Json, keys: readonly string[]): boolean =>
  keys.some((key) => Object.hasOwn(value, key));

const recordList = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Phases with stories in them; null if the file has none. */
function findGroups(value: Json): { key: string; entries: readonly Json[] } | null {
  const key = GROUPS.find((one) => recordList(value[one]).some((entry) => findList(entry) !== undefined));
  return key === undefined ? null : { key, entries: recordList(value[key]) };
}

const findList = (value: Json): string | undefined =>
  LISTS.find((key) => Array.isArray(value[key]) && recordList(value[key]).length > 0);

export function readPrd(value: unknown): Backlog {
  const collector = collect();
  const outer: Json = Array.isArray(value) ? { stories: value } : isRecord(value) ? value : {};
  const { prd: inner, ...around } = outer;
  const merged: Json = Array.isArray(inner)
    ? { ...around, stories: inner }
    : isRecord(inner)
      ? { ...around, ...inner }
      : outer;
  const record = new SourceRecord(merged);
  const branch = record.text('branchName', 'branch_name', 'branch');
  const project = record.text('project', 'projectName', 'name', 'title');
  const description = record.text('description', 'overview', 'summary');
  const groups = readGroups(collector, record, merged);
  const label = branch?.split('/').at(-1) ?? project;
  const about = Object.entries({ project, branchName: branch, ...record.leftovers() });
  const lines = about.flatMap(([name, text]) =>
    text === null || !hasContent(name, text) ? [] : [`${name}: ${text}`],
  );
  const text = [description, lines.join('\n')].filter(Boolean).join('\n\n');
  const isGrouped = groups.every((group) => group.label !== null);
  const feature =
    label === null || (isGrouped && groups.length > 0)
      ? null
      : collector.feature(label, { description: text });
  const entries = groups.flatMap((group) => {
    const whole = [group.description, isGrouped ? text : ''].filter(Boolean).join('\n\n');
    const own = group.label === null ? null : collector.feature(group.label, { description: whole });
    return group.stories.map((story) => ({ story: new SourceRecord(story), feature: own ?? feature }));
  });
  addStories(collector, entries);
  return collector.backlog({ source: 'prd', board: branch ?? project, isOneBoard: false, partsFirst: false });
}

function readGroups(collector: Collector, record: SourceRecord, value: Json): Group[] {
  const found = findGroups(value);
  const groups = (found?.entries ?? []).map((entry, index) => {
    const group = new SourceRecord(entry);
    const key = findList(entry) ?? 'tasks';
    const stories = group.records(key);
    const label = group.text('name', 'title', 'id', 'phase') ?? `Phase ${index + 1}`;
    const description = group.text('description', 'goal');
    const more = Object.entries(group.leftovers()).filter(([name, text]) => hasContent(name, text));
    const lines = more.map(([name, text]) => `${name}: ${text}`).join('\n');
    return { label, description: [description, lines].filter(Boolean).join('\n\n') || null, stories };
  });
  if (found !== null) record.ignore(found.key);
  const keys = LISTS.filter((key) => key !== found?.key && Array.isArray(value[key]));
  const stories = keys.flatMap((key) => {
    const list = record.records(key);
    if (list.length === 0 && recordList(value[key]).length > 0)
      collector.problem(`${key} holds entries that are no stories; it was left out.`);
    return list;
  });
  return stories.length === 0 ? groups : [...groups, { label: null, description: null, stories }];
}

function addStories(
  collector: Collector,
  entries: readonly { story: SourceRecord; feature: string | null }[],
): void {
  const read = entries.map((entry, index) => {
    const given = entry.story.text('priority');
    const rank = given !== null && given.trim() !== '' ? Number(given) : Number.NaN;
    return { ...entry, place: `story ${index + 1}`, given, rank: Number.isFinite(rank) ? rank : null };
  });
  const toWord = rankPriority(read.flatMap(({ rank }) => (rank === null ? [] : [rank])));
  // The numbers rank more finely than four priorities can. Ralph numbers tasks in this order, and the smaller id goes first.
  read.sort((a, b) => (a.rank ?? Number.MAX_VALUE) - (b.rank ?? Number.MAX_VALUE));
  const ids = new Map(read.map(({ story, place }) => [place, story.id('id', 'storyId', 'key')]));
  const hasIds = [...ids.values()].some((id) => id !== null);
  if (!hasIds && read.length > 0)
    collector.problem('No story has an id; Ralph identifies them by their titles.');
  for (const { story, feature, place, given, rank } of read) {
    const title = story.text('title', 'name', 'task');
    const description = story.text('description', 'userStory', 'user_story', 'story', 'details');
    const id =
      ids.get(place) ?? (hasIds ? null : (titleFrom(title ?? description, SHORT_TITLE)?.title ?? null));
    const priority = rank === null ? collector.priority(id ?? place, given) : toWord(rank);
    if (rank !== null) collector.mapped(`a rank among the stories → ${priority}`);
    const { status, original } = readStatus(collector, story, id ?? place);
    const steps = story.texts('steps');
    const criteria = [
      ...story.texts('acceptanceCriteria', 'acceptance_criteria', 'acceptance', 'criteria'),
      ...story.texts('successCriteria', 'definitionOfDone'),
    ];
    collector.task({
      id,
      place,
      title,
      parent: story.id('parent', 'parentId'),
      depends_on: story.ids('dependsOn', 'dependencies', 'depends_on', 'blockedBy'),
      status,
      original_status: original,
      fields: {
        feature,
        description,
        // Without other criteria, the steps say how to verify the story.
        acceptance_criteria: criteria.length === 0 ? steps : criteria,
        pseudocode:
          criteria.length === 0 || steps.length === 0 ? null : steps.map((step) => `- ${step}`).join('\n'),
        context_files: story.texts('affectedFiles', 'affected_files', 'contextFiles', 'files'),
        hints: story.text('hints'),
        tags: [...new Set([...story.texts('labels'), ...story.texts('tags'), ...story.texts('category')])],
        ...(priority !== undefined && { priority }),
      },
      times: {},
      author: story.text('author', 'createdBy'),
      leftovers: story.leftovers(),
    });
  }
}

/** `passes` decides; some files have a word, or `completed: true`, instead. */
function readStatus(collector: Collector, story: SourceRecord, name: string) {
  const passes = story.text('passes', 'passed', 'completed', 'done');
  const word = story.text('status', 'state');
  if (passes === 'true' || (passes === 'false' && word === null)) {
    collector.mapped(`passes ${passes} → ${passes === 'true' ? 'done' : 'pending'}`);
    return passes === 'true'
      ? { status: 'done' as const, original: 'passing' }
      : { status: 'pending' as const, original: 'not passing' };
  }
  const original = word ?? (passes === null ? 'not passing' : `passes: ${passes}`);
  return { status: collector.status(name, word ?? passes, STATUS_WORDS), original };
}
