// `ralph hook stop|guard`: what Claude Code asks before it ends a turn or uses a tool. Not for people, so not among the commands.
// The guard is asked before every use of a tool, so nothing is loaded for it that it does not need.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPlace } from '../../app/open-project.ts';
import type { World } from '../../app/world.ts';
import { isClosing } from '../../domain/sessions/signal.ts';
import { databasePath, findProject, sessionDir } from '../../host/project.ts';
import { closeQueue, openQueue, type Queue } from '../../queue/queue.ts';
import { sessionReviews } from '../../queue/sessions/review.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import { readAll } from '../terminal/person-text.ts';

/** Exit code 2 sends the text to the model, and the turn goes on; 0 lets it be. */
export type HookAnswer = { exitCode: 0 | 2; text: string };

export const LET_GO: HookAnswer = { exitCode: 0, text: '' };

export async function answerHook(
  name: string | undefined,
  { env, pipes }: Pick<World, 'env' | 'pipes'>,
): Promise<HookAnswer> {
  const { RALPH_PROJECT: root, RALPH_SESSION_ID: session_id } = env;
  const input = await readAll(pipes.stdin);
  if (root === undefined || session_id === undefined) return LET_GO;
  if (name === 'guard') return (await import('./hook.ts')).guard(input, root);
  if (name !== 'stop') return LET_GO;
  const { askForVerb, askForVerdict } = await import('./hook.ts');
  const recipe = env['RALPH_RECIPE'] ?? 'task_execution';
  if (recipe === 'opus_review') return askForVerdict(root, session_id, Number(env['RALPH_REVIEWS_BEFORE']));
  // Who plans closes nothing: what it made is what it has to say.
  return recipe === 'task_execution' ? askForVerb(root, session_id) : LET_GO;
}

/** What reaches for Ralph's own files is refused; deny rules do not see through a shell line. */
export function guard(input: string, root: string): HookAnswer {
  const { tool_input: given = {} } = parse(input);
  const words = [given['command'], given['file_path'], given['notebook_path']].filter(
    (word) => typeof word === 'string',
  );
  const { stateDir } = findProject(root);
  const isOff = words.some((word) => OFF_LIMITS.test(word) || word.includes(stateDir));
  return isOff
    ? {
        exitCode: 2,
        text: "Ralph's own files, and what would remove them, are off limits. Say what you have to say through the verbs.\n",
      }
    : LET_GO;
}

// A shell line that only reads is refused as well: nobody can tell by its words. To read a file there is a tool.
const OFF_LIMITS = /(^|[\s'"=/;&|(])\.ralph(\/|\b)|\bgit\s+clean\s+(-\w*[xX]\w*|.*\s-\w*[xX])|\.git\/ralph\b/;

function parse(input: string): { tool_input?: Record<string, unknown> } {
  try {
    const asked: unknown = JSON.parse(input);
    return typeof asked === 'object' && asked !== null ? asked : {};
  } catch {
    return {};
  }
}
// Whoever wants to end its turn without having said how it went is asked for that, twice.

const ASKED_AT_MOST = 2;

export const askForVerb = (root: string, session_id: string): Promise<HookAnswer> =>
  askFor(root, session_id, {
    counter: 'asked',
    isSaid: async (queue) => (await showSession(queue, session_id)).signals.some(isClosing),
    text: 'This session has no closing verb yet. Call done if the task is complete, partial with what remains, or stuck with the reason.\n',
  });

export const askForVerdict = (root: string, session_id: string, earlier: number): Promise<HookAnswer> =>
  askFor(root, session_id, {
    counter: join('review', `asked-${earlier}`),
    isSaid: async (queue) => (await sessionReviews(queue, session_id)).length > earlier,
    text: 'This review has no verdict yet. Call approve if the work may be merged as it is, or request_changes with what must change.\n',
  });

async function askFor(
  root: string,
  session_id: string,
  { counter, isSaid, text }: { counter: string; isSaid: (queue: Queue) => Promise<boolean>; text: string },
): Promise<HookAnswer> {
  const { stateDir } = await findPlace({ project: root, env: { RALPH_SESSION_ID: session_id } });
  const queue = await openQueue(databasePath(stateDir), Date.now, null, { mayCreate: false });
  try {
    if (await isSaid(queue)) return LET_GO;
  } finally {
    await closeQueue(queue);
  }
  const file = join(sessionDir(stateDir, session_id), counter);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const asked = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (asked >= ASKED_AT_MOST) return LET_GO;
  writeFileSync(file, String(asked + 1));
  return { exitCode: 2, text };
}
