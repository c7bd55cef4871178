// `ralph database status` and `ralph database migrate`: what is at a place, and its tables.
import type { CommandContext, Output } from '../../app/world.ts';
import { plural } from '../../domain/text/text.ts';
import {
  describePlace,
  inspectDatabase,
  isAddress,
  lookAtQueue,
  migrateDatabase,
} from '../../queue/database.ts';

export async function showPlace(place: string, { env }: CommandContext): Promise<Output> {
  const state = await inspectDatabase(place);
  const shown = describePlace(place, env);
  const queue = state !== null && state.version === null ? null : await lookAtQueue(place);
  const lines = [
    `The queue is at ${shown}${queue === null ? ', which has no tables yet: ralph database migrate' : `, with ${plural(queue.tasks, 'task')}`}.`,
    ...(queue?.moved == null ? [] : [`It moved to ${queue.moved}, and this copy accepts no more changes.`]),
    ...(state === null
      ? []
      : [
          `PostgreSQL ${state.server}, as ${state.role}, ${state.encrypted ? 'encrypted' : 'not encrypted'}, ${state.round_trip_ms} ms away.`,
          ...(state.durable
            ? []
            : ['Its fsync is off: a power cut there loses what Ralph said is recorded.']),
        ]),
  ];
  const json = { place: shown, kind: state === null ? 'sqlite' : 'postgresql', ...state, ...queue };
  return { json, text: lines.join('\n') };
}

export async function migratePlace(
  { env }: CommandContext,
  place: string,
  isForced: boolean,
): Promise<Output> {
  const shown = describePlace(place, env);
  if (!isAddress(place))
    return { json: { place: shown, migrated: false }, text: `${shown} is migrated whenever Ralph opens it.` };
  const before = await migrateDatabase(place, { isForced });
  const version = (await inspectDatabase(place))?.version ?? null;
  const done =
    before === null
      ? 'Made the tables'
      : before === version
        ? 'The tables are up to date'
        : 'Brought the tables up to date';
  return {
    json: { place: shown, before, version, migrated: before !== version },
    text: `${done} at ${shown} (version ${version}).`,
  };
}
