import type { SourceFeature } from '../../domain/exchange/backlog.ts';
import { cycleText, removeCycles } from '../../domain/tasks/remove-cycles.ts';
import type { Writer } from '../../store/database.ts';
import { listFeatures, type StoredFeature } from '../../store/tasks/features.ts';
import {
  type ApplyCounts,
  applyDefinitionsWithin,
  NO_DEFINITIONS,
} from '../definitions/apply-definitions.ts';
import { changedFields } from '../tasks/edit.ts';

/** Like definitions, but an invalid part is left out and reported; it does not refuse the whole import. */
export async function importFeatures(
  db: Writer,
  features: readonly SourceFeature[],
  file: string,
  at: number,
): Promise<{ counts: ApplyCounts; problems: readonly string[] }> {
  const knownFeatures = new Map((await listFeatures(db)).map((feature) => [feature.name, feature]));
  const names = new Set([...knownFeatures.keys(), ...features.map(({ name }) => name)]);
  const problems: string[] = [];
  const possible = features.map(({ name, fields, status }) => {
    const missing = (fields.dependencies ?? []).filter((other) => other === name || !names.has(other));
    for (const other of missing)
      problems.push(`The feature ${name} cannot depend on ${other}; that link was left out.`);
    const dependencies = fields.dependencies?.filter((other) => !missing.includes(other));
    const { fields: allowed, owned } = withoutOwned(
      dependencies === undefined ? fields : { ...fields, dependencies },
      knownFeatures.get(name),
    );
    for (const field of owned)
      problems.push(
        `The feature ${name} has its ${field} from .ralph/features.yaml; what ${file} says was left out.`,
      );
    return {
      name,
      fields: allowed,
      ...(knownFeatures.has(name) ? {} : { status: status ?? ('active' as const) }),
    };
  });
  const dependencyLists = possible.flatMap(({ name, fields }) =>
    fields.dependencies === undefined ? [] : [[name, fields.dependencies] as const],
  );
  const listedNames = new Set(dependencyLists.map(([name]) => name));
  const others = [...knownFeatures.values()].filter(({ name }) => !listedNames.has(name));
  const { edges, removed } = removeCycles(
    // In the order of the file: of a cycle, a second import must leave out the same link.
    new Map([...dependencyLists, ...others.map(({ name, dependencies }) => [name, dependencies] as const)]),
    (from) => (listedNames.has(from) ? 1 : 0),
  );
  for (const { from, to, cycle } of removed)
    problems.push(
      `The feature ${from} depends on ${to}, which closes the cycle ${cycleText(cycle)}; that link was left out.`,
    );
  const definitions = possible.map(({ name, fields, status }) => ({
    at: `${file}: ${name}`,
    name,
    fields: {
      ...fields,
      ...(fields.dependencies && { dependencies: edges.get(name) ?? [] }),
      ...(status !== undefined && { status }),
    },
  }));
  const counts = await applyDefinitionsWithin(db, { ...NO_DEFINITIONS, features: definitions }, 'import', at);
  return { counts, problems };
}

/** An import cannot change fields that a definition file owns. */
function withoutOwned(
  fields: SourceFeature['fields'],
  current: StoredFeature | undefined,
): { fields: SourceFeature['fields']; owned: string[] } {
  if (current === undefined) return { fields, owned: [] };
  const owned = changedFields<object>(current, fields).filter((name) => current.defined?.includes(name));
  const left = Object.entries(fields).filter(([name]) => !owned.includes(name));
  return { fields: Object.fromEntries(left), owned };
}
