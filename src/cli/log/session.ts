// One session from its head to its gates. The stream is printed as it is read: the file may be too large for memory.

import { existsSync } from 'node:fs';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { countLines, refusedText } from '../../domain/sandbox/hosts.ts';
import { plainOutput } from '../../domain/sessions/gate-output.ts';
import { missingStream } from '../../domain/sessions/session-state.ts';
import { visible, visibleJson } from '../../domain/text/text.ts';
import type { Entry } from '../../domain/transcript/transcript.ts';
import { readEntries } from '../../domain/transcript/transcript.ts';
import { type OpenFile, readSize } from '../../files/own-file.ts';
import { readFileEnd, readLines } from '../../files/read-lines.ts';
import { openArtifacts } from '../../host/artifacts/artifacts.ts';
import { otherHost } from '../../host/processes/process-identity.ts';
import { ARTIFACT, sessionDir, streamFile } from '../../host/session-folder.ts';
import { storedArtifacts } from '../../queue/sessions/artifacts.ts';
import { type SessionDetails, showSession } from '../../queue/sessions/sessions.ts';
import { footText, headText, shortPath } from '../../text/session-text.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { transcriptText } from '../../text/transcript-text.ts';
import { followSession, type SessionFollower } from './follow-session.ts';
import { locateLog } from './gate-log.ts';

/** With --json only the newest entries of a longer session are returned. */
const MAX_ENTRIES = 20_000;
const MAX_REFUSED_BYTES = 64 * 1024;
const MAX_ERROR_BYTES = 2_000;

export async function showLog(
  context: CommandContext,
  { queue, root, stateDir }: Project,
  id: string,
  follow: boolean,
): Promise<Output> {
  const { pipes, asJson } = context;
  const folder = sessionDir(stateDir, id);
  const stream = streamFile(folder);
  const artifacts = openArtifacts(stateDir, storedArtifacts(queue));
  const open = (name: string) => () => artifacts.open({ session_id: id }, name);
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
    for await (const line of readLines(open(ARTIFACT.stream), following?.isLast)) {
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
    text: await endText(details, { stream, open }, following, context),
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

/** `stream`: its path, if it is on this machine. */
type Files = { stream: string; open(name: string): OpenFile };

async function endText(
  details: SessionDetails,
  { stream, open }: Files,
  following: SessionFollower | null,
  context: CommandContext,
): Promise<string> {
  const size = await readSize(open(ARTIFACT.stream));
  const place = { path: oneLine(shortPath(stream, context.cwd)), host: otherHost(details.run) };
  const parts = [
    missingStream(details, size, place) ?? '',
    following?.over() === 'abandoned'
      ? 'The process that worked on it is gone; the next ralph run finishes it.'
      : '',
    footText(details, context, locateLog(details.session.id, context.cwd)),
    await refusedIn(open(ARTIFACT.refused)),
    await stderrText(stream, open(ARTIFACT.errors), context.cwd),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${size === null ? '' : '\n'}${parts.join('\n\n')}`;
}

/** What its sandbox refused. */
const refusedIn = async (open: OpenFile): Promise<string> =>
  refusedText(countLines((await readFileEnd(open, MAX_REFUSED_BYTES))?.text ?? '')) ?? '';

/** Rarely worth reading, but all there is if the agent did not start. Of another machine its end is shown: there is no path. */
async function stderrText(stream: string, open: OpenFile, cwd: string): Promise<string> {
  if (((await readSize(open)) ?? 0) === 0) return '';
  const file = stream.replace(/\.jsonl$/, '.stderr');
  if (existsSync(file)) return `Standard error\n  ${oneLine(shortPath(file, cwd))}`;
  const { text } = (await readFileEnd(open, MAX_ERROR_BYTES)) ?? { text: '' };
  const lines = plainOutput(text).trimEnd().split('\n');
  return `Standard error\n${lines.map((line) => `  ${visible(line)}`).join('\n')}`;
}
