// Features and disciplines that a tool creates: checked like definitions, but owned by the database.
import type { DisciplineDefinition, FeatureDefinition } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findDiscipline } from '../../store/tasks/disciplines.ts';
import { findFeature } from '../../store/tasks/features.ts';
import type { Queue } from '../queue.ts';
import { applyDefinitionsWithin, NO_DEFINITIONS } from './apply-definitions.ts';

export function createFeature(queue: Queue, { name, fields }: Omit<FeatureDefinition, 'at'>): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if ((await findFeature(db, name)) !== null)
      throw new Refusal(`There is already a feature "${name}"; use it, or choose another name.`);
    const definitions = { ...NO_DEFINITIONS, features: [{ at: 'create_feature', name, fields }] };
    await applyDefinitionsWithin(db, definitions, 'import', at);
  });
}

export function createDiscipline(
  queue: Queue,
  { name, fields }: Omit<DisciplineDefinition, 'at'>,
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if ((await findDiscipline(db, name)) !== null)
      throw new Refusal(`There is already a discipline "${name}"; use it, or choose another name.`);
    const definitions = { ...NO_DEFINITIONS, disciplines: [{ at: 'create_discipline', name, fields }] };
    await applyDefinitionsWithin(db, definitions, 'import', at);
  });
}
