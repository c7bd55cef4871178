// One session from its head to its gates. The stream is printed as it is read: the file may be too large for memory.

import { existsSync, statSync } from 'node:fs';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { countLines, refusedText } from '../../domain/sandbox/hosts.ts';
import { missingStream } from '../../domain/sessions/session-state.ts';
import { visibleJson } from '../../domain/text/text.ts';
import type { Entry } from '../../domain/transcript/transcript.ts';
import { readEntries } from '../../domain/transcript/transcript.ts';
import { readEnd } from '../../files/read-end.ts';
import { readLines } from '../../files/read-lines.ts';
import { refusedFile, sessionDir, streamFile } from '../../host/session-folder.ts';
import { type SessionDetails, showSession } from '../../queue/sessions/sessions.ts';
import { footText, headText, shortPath } from '../../text/session-text.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { transcriptText } from '../../text/transcript-text.ts';
import { followSession, type SessionFollower } from './follow-session.ts';

/** With --json only the newest entries of a longer session are returned. */
const MAX_ENTRIES = 20_000;
const MAX_REFUSED_BYTES = 64 * 1024;

export async function showLog(
  context: CommandContext,
  { queue, root, stateDir }: Project,
  id: string,
  follow: boolean,
): Promise<Output> {
  const { pipes, asJson } = context;
  const folder = sessionDir(stateDir, id);
  const stream = streamFile(folder);
  const following = follow ? followSession(queue, id, folder) : null;
  const newest = keepNewest();
  const text = transcriptText({ terminal: context.terminal, root });
  const show = !asJson
    ? (entry: Entry): void => pipes.print(text(entry))
    : follow
      ? (entry: Entry): void => pipes.print(`${visibleJson(entry, 0)}\n`)
      : newest.add;
  const before = await showSession(queue, id);
  if (!asJson) pipes.print(headText(before, context));
  try {
    for await (const line of readLines(stream, following?.isLast)) {
      for (const entry of readEntries(line)) show(entry);
      if (following?.over() === 'interrupted') break;
    }
  } finally {
    following?.close();
  }
  const details = await showSession(queue, id);
  if (following?.over() === 'interrupted') return { json: details, text: '', exitCode: 130 };
  return {
    json: { ...details, stream: existsSync(stream) ? stream : null, ...(follow ? {} : newest.all()) },
    text: endText(details, stream, following, context, await refusedIn(folder)),
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

function endText(
  details: SessionDetails,
  stream: string,
  following: SessionFollower | null,
  context: CommandContext,
  refused: string,
): string {
  const parts = [
    missingStream(details, fileSize(stream), oneLine(shortPath(stream, context.cwd))) ?? '',
    following?.over() === 'abandoned'
      ? 'The process that worked on it is gone; the next ralph run finishes it.'
      : '',
    footText(details, context),
    refused,
    stderrText(stream, context.cwd),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${existsSync(stream) ? '\n' : ''}${parts.join('\n\n')}`;
}

/** What its sandbox refused. */
const refusedIn = async (folder: string): Promise<string> =>
  refusedText(countLines((await readEnd(refusedFile(folder), MAX_REFUSED_BYTES))?.text ?? '')) ?? '';

/** Rarely worth reading, but all there is if the agent did not start. */
function stderrText(stream: string, cwd: string): string {
  const file = stream.replace(/\.jsonl$/, '.stderr');
  return (fileSize(file) ?? 0) === 0 ? '' : `Standard error\n  ${oneLine(shortPath(file, cwd))}`;
}

const fileSize = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.size ?? null;
