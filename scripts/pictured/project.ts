// A project of forty tasks, worked by the real Claude Code with a scripted model, which falls silent in the middle of the run.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import {
  FINISHED,
  type Request,
  scriptedEnv,
  serveModel,
  sessionOf,
  type Turn,
  taskOf,
} from '../../test/support/scripted-model.ts';
import { makeProject } from '../demo/make-project.ts';
import { AT_WORK, FILES, taskAttempts } from './story.ts';

export const RALPH = resolve('dist/ralph.js');

export type PicturedProject = {
  folder: string;
  root: string;
  env: Record<string, string>;
  /** Fulfilled when the run is in its middle, and stays there. */
  isInTheMiddle: Promise<void>;
  ralph(...args: string[]): string;
  close(): Promise<void>;
};

export async function picturedProject(): Promise<PicturedProject> {
  const made = await makeProject({}, 'claude', FILES);
  const { folder, root } = made;
  let reached = (): void => {};
  const isInTheMiddle = new Promise<void>((arrived) => {
    reached = arrived;
  });
  const sessions = new Map<string, readonly Turn[]>();
  const begun = new Map<number, number>();
  const model = await serveModel((asked, said) => {
    const [session, task] = [sessionOf(asked), taskOf(asked)];
    if ((asked.tools ?? []).length === 0 || session === null || task === null) return FINISHED;
    const turns = sessions.get(session) ?? begin(task, workFolder(asked) ?? root);
    sessions.set(session, turns);
    const turn = turns[said] ?? FINISHED;
    if ('silence' in turn) reached();
    return turn;
  });
  const env = scriptedEnv(made.env.HOME, model.url);

  function begin(task: number, checkout: string): readonly Turn[] {
    const attempt = begun.get(task) ?? 0;
    begun.set(task, attempt + 1);
    const attempts = taskAttempts(task, checkout);
    return attempts[Math.min(attempt, attempts.length - 1)] ?? [];
  }

  const ralph = (...args: string[]): string =>
    execFileSync(process.execPath, [RALPH, ...args], { cwd: root, env, encoding: 'utf8' });
  return { folder, root, env, isInTheMiddle, ralph, close: model.close };
}

/** The slot that Claude Code names as its working directory. Its tools want absolute paths. */
const workFolder = (asked: Request): string | null =>
  /\/[^\s"'`\\]+\/slots\/[^\s"'`\\]+\/tree\b/.exec(JSON.stringify(asked))?.[0] ?? null;

export { AT_WORK };
