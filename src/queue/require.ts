import { Refusal } from '../domain/refusal.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { singleLine, truncate } from '../domain/text/text.ts';
import type { Reader } from '../store/database.ts';
import { findRun, type RunRecord } from '../store/sessions/runs.ts';
import { findDiscipline, listDisciplines, type StoredDiscipline } from '../store/tasks/disciplines.ts';
import { findFeature, listFeatures, type StoredFeature } from '../store/tasks/features.ts';
import { findTask, type StoredTask } from '../store/tasks/tasks.ts';

export async function requireTask(db: Reader, id: number): Promise<StoredTask> {
  const task = await findTask(db, id);
  if (task === null) throw new Refusal(`There is no task ${id}; ralph list shows all tasks.`);
  return task;
}

export async function requireFeature(db: Reader, name: string): Promise<StoredFeature> {
  const feature = await findFeature(db, name);
  if (feature !== null) return feature;
  const names = (await listFeatures(db)).map((one) => one.name);
  throw new Refusal(
    `There is no feature "${name}"${didYouMean(name, names) || '; ralph feature list shows all features.'}`,
  );
}

export async function requireDiscipline(db: Reader, name: string): Promise<StoredDiscipline> {
  const discipline = await findDiscipline(db, name);
  if (discipline !== null) return discipline;
  const names = (await listDisciplines(db)).map((one) => one.name);
  throw new Refusal(
    `There is no discipline "${name}"${didYouMean(name, names) || '; ralph discipline list shows all disciplines.'}`,
  );
}

export async function requireRun(db: Reader, id: number): Promise<RunRecord> {
  const run = await findRun(db, id);
  if (run === null)
    throw new Refusal(`There is no run ${id}; ralph report shows the latest, with its number.`);
  return run;
}

/** A longer value would hide the rest of the sentence. */
const MAX_SHOWN = 200;

/**
 * Refuses an edit that would undo another person's change since the editor read the fields. If both want the same value,
 * nothing is lost. `seen`: the values that the editor saw. `whose`: for example "of task 7".
 */
export function requireUnchanged<Fields extends object>(
  whose: string,
  { current, wanted, seen }: { current: Fields; wanted: Fields; seen: Partial<Fields> },
): void {
  const names = Object.keys(seen) as (keyof Fields & string)[];
  const name = names.find((one) => !isSame(current[one], seen[one]) && !isSame(current[one], wanted[one]));
  if (name === undefined) return;
  throw new Refusal(
    `The ${name} ${whose} has changed since you read it; it is now ${quote(current[name])}. Check it, then repeat your change.`,
  );
}

const isSame = (one: unknown, other: unknown): boolean => comparable(one) === comparable(other);

/** A list of numbers holds task ids, so its order does not matter. */
const comparable = (value: unknown): string =>
  JSON.stringify(
    Array.isArray(value) && value.every((item) => typeof item === 'number') ? [...value].sort() : value,
  );

function quote(value: unknown): string {
  const text = singleLine(Array.isArray(value) ? value.join(', ') : String(value ?? ''));
  return text === '' ? 'empty' : `"${truncate(text, MAX_SHOWN)}"`;
}
