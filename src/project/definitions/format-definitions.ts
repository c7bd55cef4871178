// Writes definitions as the YAML that people write. The same input gives the same bytes.
import { stringify } from 'yaml';
import type { Definitions, TaskDefinition } from '../../domain/definition.ts';

/** Maps file names to texts; a kind without entries gets no file. */
export function formatDefinitions(definitions: Definitions): Map<string, string> {
  const { project, disciplines, features, tasks, learnings } = definitions;
  const lists: [string, readonly object[]][] = [
    [
      'disciplines',
      disciplines.map(({ name, fields, created }) => ({ name, ...fields, ...times({ created }) })),
    ],
    ['features', features.map(({ name, fields, created }) => ({ name, ...fields, ...times({ created }) }))],
    ['tasks', tasks.map(taskEntry)],
    [
      'learnings',
      learnings.map(({ at: _, created, archived, ...learning }) => ({
        ...withoutNull(learning),
        ...times({ created, archived }),
      })),
    ],
  ];
  const files = new Map<string, string>();
  if (Object.keys(project).length > 0)
    files.set('metadata.yaml', toYaml({ metadata: { ...project, ...times({ created: project.created }) } }));
  for (const [kind, entries] of lists)
    if (entries.length > 0) files.set(`${kind}.yaml`, toYaml({ [kind]: entries }));
  return files;
}

function taskEntry({ id, fields, depends_on, references, state }: TaskDefinition): object {
  const { created, updated, completed, enriched_at, archived, not_before, comments, questions, ...rest } =
    state;
  return {
    id,
    ...fields,
    ...(depends_on && { depends_on }),
    ...(references && { references }),
    ...withoutNull(rest),
    ...times({ not_before, created, updated, completed, enriched_at, archived }),
    ...(comments && {
      comments: comments.map((comment) => ({ ...comment, ...times({ created: comment.created }) })),
    }),
    ...(questions && {
      questions: questions.map(({ asked, answered, dismissed, ...question }) => ({
        ...withoutNull(question),
        ...times({ asked, answered, dismissed }),
      })),
    }),
  };
}

function times(fields: Record<string, number | null | undefined>): object {
  const present = Object.entries(fields).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return Object.fromEntries(present.map(([name, time]) => [name, new Date(time).toISOString()]));
}

const withoutNull = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

const toYaml = (value: object): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
