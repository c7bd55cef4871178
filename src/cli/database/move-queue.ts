// `ralph database copy`: moves the queue to its other place, or copies it into a file.
import { existsSync, renameSync } from 'node:fs';
import { writeRecord } from '../../app/database-address.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { plural } from '../../domain/text/text.ts';
import { liveness } from '../../host/processes/process-identity.ts';
import { databasePath, type ProjectPlace } from '../../host/project.ts';
import {
  copyDatabase,
  describePlace,
  inspectDatabase,
  isAddress,
  lookAtQueue,
  migrateDatabase,
  moveDatabase,
} from '../../queue/database.ts';
import { requireIdle } from './require-idle.ts';

export async function moveQueue(
  context: CommandContext,
  project: ProjectPlace,
  source: string,
  target: string,
): Promise<Output> {
  const file = databasePath(project.stateDir);
  const shown = describePlace(target, context.env);
  await requireIdle(context, project);
  if (!isAddress(target) && target !== file) {
    if (existsSync(target)) throw new Refusal(`${target} exists; name a new file.`);
    await copyDatabase(source, target);
    return {
      json: { place: shown, moved: false },
      text: `Copied the queue to ${shown}. The queue itself stays at ${describePlace(source, context.env)}.`,
    };
  }
  if (isAddress(target) && (await inspectDatabase(target))?.version === null) await migrateDatabase(target);
  if (target === file) await setAside(file, describePlace(source, context.env));
  const { rows, tables, isResumed } = await moveDatabase(source, target, liveness);
  await writeRecord(project.stateDir, target === file ? null : target);
  const verb = isResumed ? 'Finished the move of the queue' : 'Moved the queue';
  return {
    json: { place: shown, moved: true, rows, tables: Object.fromEntries(tables) },
    text: `${verb} to ${shown}: ${plural(rows, 'row')} in ${tables.size} tables, the same in both. ${describePlace(source, context.env)} stays as it was, and accepts no more changes.`,
  };
}

/** The file that the queue had left is history now. It is kept under another name: Ralph overwrites no queue. */
async function setAside(file: string, source: string): Promise<void> {
  if (!existsSync(file)) return;
  const { moved, tasks } = await lookAtQueue(file);
  // A move that was killed left its own mark, and goes on from there.
  if (moved === source && tasks > 0) renameSync(file, `${file}.${Date.now()}.moved`);
}
