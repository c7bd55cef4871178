// A project of forty tasks, worked by the real Claude Code with a scripted model, which falls silent in the middle of the run.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import {
  FINISHED,
  scriptedEnv,
  serveModel,
  sessionOf,
  type Turn,
  taskOf,
} from '../../test/support/scripted-model.ts';
import { makeProject } from '../demo/make-project.ts';
import { AT_WORK, attemptsOf, FILES } from './story.ts';

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
    const turns = sessions.get(session) ?? begin(task);
    sessions.set(session, turns);
    const turn = turns[said] ?? FINISHED;
    if ('silence' in turn) reached();
    return turn;
  });
  const env = scriptedEnv(made.env.HOME, model.url);

  function begin(task: number): readonly Turn[] {
    const attempt = begun.get(task) ?? 0;
    begun.set(task, attempt + 1);
    const attempts = attemptsOf(task, root);
    return attempts[Math.min(attempt, attempts.length - 1)] ?? [];
  }

  const ralph = (...args: string[]): string =>
    execFileSync(process.execPath, [RALPH, ...args], { cwd: root, env, encoding: 'utf8' });
  return { folder, root, env, isInTheMiddle, ralph, close: model.close };
}

export { AT_WORK };
