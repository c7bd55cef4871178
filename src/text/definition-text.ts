// Features and disciplines for people at a terminal.
import { longName, type Named } from '../domain/tasks/badge.ts';
import type { Discipline } from '../domain/tasks/discipline.ts';
import type { Feature } from '../domain/tasks/feature.ts';
import { plural, visible } from '../domain/text/text.ts';
import type { FeatureDetails, FeatureProgress } from '../queue/tasks/features.ts';
import type { Look } from './terminal/row.ts';
import { colorFormat, oneLine, paint, section } from './terminal/style.ts';
import { table } from './terminal/table.ts';

export function featureTable(
  features: readonly (FeatureProgress & { feature: Feature })[],
  look: Look,
): string {
  if (features.length === 0) return 'No features yet. Add one: ralph feature add NAME';
  const cells = (cell: (one: FeatureProgress & { feature: Feature }) => string): string[] =>
    features.map(cell);
  return table(
    [
      { title: 'NAME', flexible: true, cells: cells(({ feature }) => nameCell(feature)) },
      { title: 'STATUS', cells: cells(({ feature }) => feature.status) },
      { title: 'PRIORITY', align: 'right', cells: cells(({ feature }) => String(feature.priority ?? '-')) },
      { title: 'DONE', align: 'right', cells: cells(({ done, open }) => `${done}/${done + open}`) },
      { title: 'LEARNINGS', align: 'right', cells: cells(({ learnings }) => String(learnings)) },
      {
        title: 'DESCRIPTION',
        flexible: true,
        cells: cells(({ feature }) => oneLine(feature.display_name ?? feature.description ?? '-')),
      },
    ],
    look,
  );
}

export function featureText({ feature, tasks, learnings }: FeatureDetails, look: Look): string {
  return sections(look, feature.display_name ?? feature.name, [
    facts([
      ['name', feature.name],
      ['status', feature.status],
      ['acronym', feature.acronym],
      ['priority', feature.priority === null ? null : String(feature.priority)],
      ['builds on', feature.dependencies.join(', ')],
      ['spec', feature.spec_file],
      ['learnings', learnings === 0 ? null : `${learnings}: ralph learn list --feature ${feature.name}`],
      ['tasks', tasks.length === 0 ? null : `${tasks.length}: ralph list --feature ${feature.name}`],
    ]),
    text('Description', feature.description),
    text('Architecture', feature.architecture),
    text('Boundaries', feature.boundaries),
    items('Acceptance criteria', feature.acceptance_criteria),
    items('Documents', feature.knowledge_paths),
    items('Code', feature.context_files),
  ]);
}

export function disciplineTable(disciplines: readonly Discipline[], look: Look): string {
  if (disciplines.length === 0) return 'No disciplines yet. Add one: ralph discipline add NAME';
  const cells = (cell: (one: Discipline) => string): string[] => disciplines.map(cell);
  return table(
    [
      {
        title: 'NAME',
        flexible: true,
        cells: disciplines.map((one) => ({ text: nameCell(one), format: colorFormat(one.color) })),
      },
      { title: 'AGENT', cells: cells(({ agent }) => oneLine(agent ?? '-')) },
      { title: 'MODEL', cells: cells(({ model }) => oneLine(model ?? '-')) },
      { title: 'EFFORT', cells: cells(({ effort }) => effort ?? '-') },
      {
        title: 'SKILLS',
        flexible: true,
        cells: cells(({ skills }) => (skills.length === 0 ? '-' : oneLine(skills.join(', ')))),
      },
    ],
    look,
  );
}

export const disciplineText = (discipline: Discipline, look: Look): string =>
  sections(look, discipline.display_name ?? discipline.name, [
    facts([
      ['name', discipline.name],
      ['acronym', discipline.acronym],
      ['icon', discipline.icon],
      ['color', discipline.color],
      ['agent', discipline.agent],
      ['model', discipline.model],
      ['effort', discipline.effort],
      ['tools', discipline.tools.join(', ')],
    ]),
    text('Persona', discipline.system_prompt),
    items('Skills', discipline.skills),
    text('Conventions', discipline.conventions),
    items(
      `${plural(discipline.mcp_servers.length, 'MCP server')}`,
      discipline.mcp_servers.map(({ name, command, args }) => `${name}: ${[command, ...args].join(' ')}`),
    ),
  ]);

/** The name that people type, with the short one that other lists show. */
const nameCell = (one: Named): string => oneLine(longName({ ...one, display_name: null }));

const sections = ({ color }: Look, title: string, parts: readonly (string | null)[]): string =>
  [paint(oneLine(title), 'bold', color), ...parts].filter((part) => part !== null).join('\n\n');

function facts(pairs: readonly [name: string, value: string | null][]): string {
  const filled = pairs.filter(([, value]) => value !== null && value !== '');
  return filled.map(([name, value]) => `${name.padEnd(9)} ${oneLine(value ?? '')}`).join('\n');
}

const text = (title: string, body: string | null): string | null =>
  section(title, body === null ? [] : [visible(body)]);

const items = (title: string, list: readonly string[]): string | null =>
  section(
    title,
    list.map((item) => `- ${oneLine(item)}`),
  );
