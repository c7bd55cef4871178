import type { Backlog } from '../../../domain/exchange/backlog.ts';
import { collect } from './collect.ts';
import type { Json } from './json.ts';
import { isRecord, SourceRecord } from './source-record.ts';

/** prd.json has ranked user stories and one branch for all of them; the branch becomes the feature. */
export const recognisesPrd = (value: unknown): boolean =>
  isRecord(value) && Array.isArray(value['userStories']);

export function readPrd(value: Json): Backlog {
  const collector = collect();
  const prd = new SourceRecord(value);
  const branch = prd.text('branchName');
  const project = prd.text('project');
  const description = prd.text('description');
  const stories = prd.records('userStories');
  const label = branch?.split('/').at(-1) ?? project;
  const about = Object.entries({ project, branchName: branch, ...prd.leftovers() });
  const lines = about.flatMap(([name, text]) => (text === null ? [] : [`${name}: ${text}`]));
  const feature =
    label === null
      ? null
      : collector.feature(label, {
          description: [description, lines.join('\n')].filter(Boolean).join('\n\n'),
        });
  const read = stories.map((one, index) => ({ story: new SourceRecord(one), place: `story ${index + 1}` }));
  const ranked = read.map((one) => ({ ...one, rank: one.story.number('priority') }));
  // The numbers rank more finely than four priorities can. Ralph numbers tasks in this order, and the smaller id goes first.
  ranked.sort((a, b) => (a.rank ?? Number.MAX_VALUE) - (b.rank ?? Number.MAX_VALUE));
  for (const { story, rank, place } of ranked) {
    const id = story.id('id');
    const passes = story.text('passes');
    const priority = collector.priority(id ?? place, rank, 1);
    collector.task({
      id,
      place,
      title: story.text('title'),
      parent: null,
      status: collector.status(id ?? place, passes === null ? null : `passes ${passes}`, {
        'passes true': 'done',
        'passes false': 'pending',
      }),
      original_status: passes === 'true' ? 'passing' : 'not passing',
      fields: {
        feature,
        description: story.text('description'),
        acceptance_criteria: story.texts('acceptanceCriteria'),
        ...(priority !== undefined && { priority }),
      },
      times: {},
      leftovers: story.leftovers(),
    });
  }
  return collector.backlog({ source: 'prd', board: branch ?? project, isOneBoard: false, partsFirst: false });
}
