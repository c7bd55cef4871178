// `ralph hook stop|guard`: what Claude Code asks before it ends a turn or uses a tool. Not for people, so not among the commands.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isClosing } from '../domain/signal.ts';
import { databasePath, findProject, sessionDir } from '../host/project.ts';
import { closeQueue, openQueue, type Queue } from '../queue/queue.ts';
import { reviewsOf } from '../queue/review.ts';
import { showSession } from '../queue/session.ts';
import type { World } from './command.ts';

/** Exit code 2 sends the text to the model, and the turn goes on; 0 lets it be. */
export type HookAnswer = { exitCode: 0 | 2; text: string };

const LET_GO: HookAnswer = { exitCode: 0, text: '' };
const ASKED_AT_MOST = 2;

export async function answerHook(name: string | undefined, input: string, world: World): Promise<HookAnswer> {
  const { RALPH_PROJECT: root, RALPH_SESSION_ID: session_id } = world.env;
  if (root === undefined || session_id === undefined) return LET_GO;
  if (name === 'guard') return guard(input, root);
  if (name !== 'stop') return LET_GO;
  return world.env['RALPH_RECIPE'] === 'opus_review'
    ? askForVerdict(root, session_id, Number(world.env['RALPH_REVIEWS_BEFORE']))
    : askForVerb(root, session_id);
}

/** A session that ends without a closing verb is asked for one, twice. */
const askForVerb = (root: string, session_id: string): Promise<HookAnswer> =>
  askFor(root, session_id, {
    counter: 'asked',
    isSaid: async (queue) => (await showSession(queue, session_id)).signals.some(isClosing),
    text: 'This session has no closing verb yet. Call done if the task is complete, partial with what remains, or stuck with the reason.\n',
  });

const askForVerdict = (root: string, session_id: string, earlier: number): Promise<HookAnswer> =>
  askFor(root, session_id, {
    counter: join('review', `asked-${earlier}`),
    isSaid: async (queue) => (await reviewsOf(queue, session_id)).length > earlier,
    text: 'This review has no verdict yet. Call approve if the work may be merged as it is, or request_changes with what must change.\n',
  });

async function askFor(
  root: string,
  session_id: string,
  { counter, isSaid, text }: { counter: string; isSaid: (queue: Queue) => Promise<boolean>; text: string },
): Promise<HookAnswer> {
  const { stateDir } = findProject(root);
  const queue = await openQueue(databasePath(stateDir));
  try {
    if (await isSaid(queue)) return LET_GO;
  } finally {
    await closeQueue(queue);
  }
  const file = join(sessionDir(stateDir, session_id), counter);
  const asked = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (asked >= ASKED_AT_MOST) return LET_GO;
  writeFileSync(file, String(asked + 1));
  return { exitCode: 2, text };
}

/** What reaches for Ralph's own files is refused; deny rules do not see through a shell line. */
function guard(input: string, root: string): HookAnswer {
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

// Of `.ralph`, reading is allowed to nobody either: what an agent may know of it is in its prompt.
const OFF_LIMITS = /(^|[\s'"=/;&|(])\.ralph(\/|\b)|\bgit\s+clean\s+(-\w*[xX]\w*|.*\s-\w*[xX])|\.git\/ralph\b/;

function parse(input: string): { tool_input?: Record<string, unknown> } {
  try {
    const asked: unknown = JSON.parse(input);
    return typeof asked === 'object' && asked !== null ? asked : {};
  } catch {
    return {};
  }
}
