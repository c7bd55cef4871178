// A feature or discipline that a person describes on the command line: checked like one in a file.
import type * as z from 'zod';
import type { DisciplineDefinition, FeatureDefinition } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { explainIssue } from './explain-issue.ts';
import { toDiscipline, toFeature } from './read-definitions.ts';
import { disciplineSchema, featureSchema } from './schema/definitions.ts';

const PLACE = 'command line';

export const readFeature = (entry: object): FeatureDefinition =>
  toFeature(check(featureSchema, entry), PLACE);

export const readDiscipline = (entry: object): DisciplineDefinition =>
  toDiscipline(check(disciplineSchema, entry), PLACE);

function check<Schema extends z.ZodType>(schema: Schema, entry: object): z.output<Schema> {
  const checked = schema.safeParse(entry, { reportInput: true });
  const [issue] = checked.error?.issues ?? [];
  if (issue !== undefined) throw new Refusal(`The ${explainIssue(issue, schema).message}`);
  return checked.data as z.output<Schema>;
}
