// Features and disciplines that a tool makes: by the rules of definitions, owned by the database.
import type { DisciplineDefinition, FeatureDefinition } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findDiscipline } from '../../store/tasks/disciplines.ts';
import { findFeature } from '../../store/tasks/features.ts';
import { applyWithin, NO_DEFINITIONS } from '../definitions/apply-definitions.ts';
import type { Queue } from '../queue.ts';

export function createFeature(queue: Queue, { name, fields }: Omit<FeatureDefinition, 'at'>): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if ((await findFeature(db, name)) !== null)
      throw new Refusal(`There is a feature "${name}" already; use it, or choose another name.`);
    const definitions = { ...NO_DEFINITIONS, features: [{ at: 'create_feature', name, fields }] };
    await applyWithin(db, definitions, 'import', at);
  });
}

export function createDiscipline(
  queue: Queue,
  { name, fields }: Omit<DisciplineDefinition, 'at'>,
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if ((await findDiscipline(db, name)) !== null)
      throw new Refusal(`There is a discipline "${name}" already; use it, or choose another name.`);
    const definitions = { ...NO_DEFINITIONS, disciplines: [{ at: 'create_discipline', name, fields }] };
    await applyWithin(db, definitions, 'import', at);
  });
}
