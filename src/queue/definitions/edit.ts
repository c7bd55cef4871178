// Features and disciplines that a person or a tool changes. A field that a definition file gives is changed in that file.

import type { DisciplineDefinition, FeatureDefinition } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { DisciplineFields } from '../../domain/tasks/discipline.ts';
import type { FeatureFields, FeatureStatus } from '../../domain/tasks/feature.ts';
import type { Reader } from '../../store/database.ts';
import { findDiscipline, type StoredDiscipline } from '../../store/tasks/disciplines.ts';
import { findFeature, type StoredFeature } from '../../store/tasks/features.ts';
import type { Queue } from '../queue.ts';
import { requireDiscipline, requireFeature } from '../require.ts';
import { changedFields } from '../tasks/edit.ts';
import { applyDefinitionsWithin, NO_DEFINITIONS } from './apply-definitions.ts';

/** Where a refusal says that the problem is. */
const CHANGE = 'The change';

type FeatureEdit = Partial<FeatureFields & { status: Exclude<FeatureStatus, 'done'> }>;
type DisciplineEdit = Partial<DisciplineFields>;

export function updateFeature(queue: Queue, name: string, fields: FeatureEdit): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const current = await requireFeature(db, name);
    requireOwn('feature', current, fields);
    if (current.status === 'done' && fields.status !== undefined && fields.status !== 'deprecated')
      throw new Refusal(`Feature "${name}" is done; a new task for it makes it active again.`);
    const features = [{ at: CHANGE, name, fields }];
    await applyDefinitionsWithin(db, { ...NO_DEFINITIONS, features }, 'import', at);
  });
}

export function updateDiscipline(queue: Queue, name: string, fields: DisciplineEdit): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    requireOwn('discipline', await requireDiscipline(db, name), fields);
    const disciplines = [{ at: CHANGE, name, fields }];
    await applyDefinitionsWithin(db, { ...NO_DEFINITIONS, disciplines }, 'import', at);
  });
}

/** Whether a definition file gives one of the fields that would change. */
export const isInFile = (
  queue: Queue,
  kind: 'feature' | 'discipline',
  name: string,
  fields: FeatureEdit | DisciplineEdit,
): Promise<boolean> =>
  queue.store.read(async (db) => ownedField(await requireEntity(db, kind, name), fields) !== undefined);

const requireEntity = (
  db: Reader,
  kind: 'feature' | 'discipline',
  name: string,
): Promise<StoredFeature | StoredDiscipline> =>
  kind === 'feature' ? requireFeature(db, name) : requireDiscipline(db, name);

type Entity = { name: string; defined: readonly string[] | null };

const ownedField = (entity: Entity, fields: object): string | undefined =>
  changedFields<object>(entity, fields).find((field) => entity.defined?.includes(field));

function requireOwn(kind: 'feature' | 'discipline', entity: Entity, fields: object): void {
  const owned = ownedField(entity, fields);
  if (owned === undefined) return;
  throw new Refusal(
    `The ${owned} of ${kind} "${entity.name}" is defined in .ralph/${kind}s.yaml; change it there, or with: ralph ${kind} edit.`,
  );
}

// Features and disciplines that a tool creates: checked like definitions, but owned by the database.

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
