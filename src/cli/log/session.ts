// One session from its head to its gates. Its stream is shown as it is read: the file may be larger than anybody wants to hold.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { missingStream } from '../../domain/sessions/session-state.ts';
import { visibleJson } from '../../domain/text/text.ts';
import { type Entry, readEntries } from '../../domain/transcript/transcript.ts';
import { readLines } from '../../files/read-lines.ts';
import { sessionDir } from '../../host/project.ts';
import { type SessionDetails, showSession } from '../../queue/sessions/sessions.ts';
import { footText, headText, nearPath } from '../../text/session-text.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { transcriptText } from '../../text/transcript-text.ts';
import { type Following, followSession } from './follow-session.ts';

/** What a script is given of a session that said more; the newest of it. */
const MAX_ENTRIES = 20_000;

export async function showLog(
  context: CommandContext,
  { queue, root, stateDir }: Project,
  id: string,
  follow: boolean,
): Promise<Output> {
  const { pipes, asJson } = context;
  const folder = sessionDir(stateDir, id);
  const stream = join(folder, 'stream.jsonl');
  const following = follow ? followSession(queue, id, folder) : null;
  const kept = keepNewest();
  const text = transcriptText({ terminal: context.terminal, root });
  const take = !asJson
    ? (entry: Entry): void => pipes.print(text(entry))
    : follow
      ? (entry: Entry): void => pipes.print(`${visibleJson(entry, 0)}\n`)
      : kept.add;
  const before = await showSession(queue, id);
  if (!asJson) pipes.print(headText(before, context));
  try {
    for await (const line of readLines(stream, following?.isLast)) {
      for (const entry of readEntries(line)) take(entry);
      if (following?.over() === 'interrupted') break;
    }
  } finally {
    following?.close();
  }
  const details = await showSession(queue, id);
  if (following?.over() === 'interrupted') return { json: details, text: '', exitCode: 130 };
  return {
    json: { ...details, stream: existsSync(stream) ? stream : null, ...(follow ? {} : kept.all()) },
    text: ending(details, stream, following, context),
  };
}

function keepNewest(): { add(entry: Entry): void; all(): { entries: Entry[]; left_out: number } } {
  const entries: Entry[] = [];
  let left_out = 0;
  const drop = (count: number): void => {
    left_out += entries.splice(0, count).length;
  };
  return {
    add: (entry) => {
      entries.push(entry);
      if (entries.length >= 2 * MAX_ENTRIES) drop(MAX_ENTRIES);
    },
    all: () => {
      drop(Math.max(0, entries.length - MAX_ENTRIES));
      return { entries, left_out };
    },
  };
}

function ending(
  details: SessionDetails,
  stream: string,
  following: Following | null,
  context: CommandContext,
): string {
  const parts = [
    missingStream(details, sizeOf(stream), oneLine(nearPath(stream, context.cwd))) ?? '',
    following?.over() === 'abandoned'
      ? 'The process that worked on it is gone; the next ralph run finishes it.'
      : '',
    footText(details, context),
    errorsBeside(stream, context.cwd),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${existsSync(stream) ? '\n' : ''}${parts.join('\n\n')}`;
}

/** What an agent writes there is rarely meant to be read, and all there is when it did not start. */
function errorsBeside(stream: string, cwd: string): string {
  const file = stream.replace(/\.jsonl$/, '.stderr');
  return (sizeOf(file) ?? 0) === 0 ? '' : `Standard error\n  ${oneLine(nearPath(file, cwd))}`;
}

const sizeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.size ?? null;
