import type { DisciplineFields } from '../../../domain/tasks/discipline.ts';

/** What `ralph init` writes into .ralph/disciplines.yaml, for people to change. */
export type PredefinedDiscipline = { name: string } & Pick<
  DisciplineFields,
  'display_name' | 'acronym' | 'icon' | 'color' | 'system_prompt' | 'skills' | 'conventions'
>;
