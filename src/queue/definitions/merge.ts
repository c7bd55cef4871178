import { Refusal } from '../../domain/refusal.ts';
import { requireStorable } from '../../domain/text/text.ts';
import { changedFields } from '../tasks/edit.ts';

/**
 * `sync`: the project's own files, which Ralph reads repeatedly. They own the fields that they give.
 * `import`: a file that Ralph reads once. The database owns what it brings.
 */
export type ApplyMode = 'sync' | 'import';

/** The entity after the definition is applied, and the fields that the definition now owns. */
export function merge<Fields extends object>(
  definition: { at: string; fields: Partial<Fields> },
  current: (Fields & Ownership) | undefined,
  defaults: Fields,
  mode: ApplyMode,
): { fields: Fields; defined: readonly string[] | null } {
  requireStorable('text', definition.fields);
  const definedNames = Object.keys(definition.fields).sort();
  const fields = pick(current ?? defaults, Object.keys(defaults) as (keyof Fields)[]);
  if (mode === 'import') {
    requireNotOwned(definition, current);
    return { fields: { ...fields, ...definition.fields }, defined: current?.defined ?? null };
  }
  // A field that the file no longer gives returns to its default. A field that it never gave stays.
  const dropped = (current?.defined ?? []).filter((name) => !definedNames.includes(name)) as (keyof Fields)[];
  return { fields: { ...fields, ...pick(defaults, dropped), ...definition.fields }, defined: definedNames };
}

export function pick<Fields extends object>(from: Fields, names: readonly (keyof Fields)[]): Fields {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]])) as Fields;
}

function requireNotOwned<Fields extends object>(
  { at, fields }: { at: string; fields: Partial<Fields> },
  current: (Fields & Ownership) | undefined,
): void {
  if (current === undefined) return;
  const owned = changedFields<object>(current, fields).find((name) => current.defined?.includes(name));
  if (owned === undefined) return;
  throw new Refusal(`${at}: "${owned}" is defined in the project's .ralph files; change it there.`);
}

type Ownership = { defined: readonly string[] | null };
