import { join } from 'node:path';
import { FINISHED, scriptedEnv, serveModel } from '../../test/support/scripted-model.ts';
import { type Bench, compare } from './measure.ts';
import { type BenchProject, makeProject } from './project.ts';

const ROUNDS = 5;

/** The real client, with a command of the model, from the start of `ralph run` to its end. */
export const sandboxedSession: Bench = async (folder) => {
  const model = await serveModel((_, said) =>
    said === 0 ? { tool: 'Bash', input: { command: 'git status --short' } } : FINISHED,
  );
  const projectAt = async (level: string): Promise<BenchProject> => {
    const home = join(folder, level);
    const limits = { stuck: 1_000, stagnation: 1_000 };
    const env = { ...scriptedEnv(join(home, 'home'), model.url), RALPH_SANDBOX: level };
    return makeProject(home, { config: { limits }, tasks: ROUNDS, env });
  };
  const [enclosed, bare] = [await projectAt('process'), await projectAt('off')];
  // It ends without a closing verb, so the exit code is not 0.
  const session = (project: BenchProject) => async (): Promise<void> =>
    void (await project.ralph('run', '--once').catch(() => {}));
  // Once each before: the first session makes the slot.
  for (const project of [enclosed, bare]) await session(project)();
  const { measured, against } = await compare(ROUNDS, session(enclosed), session(bare));
  await model.close();
  return [
    {
      name: 'a session of the real client in the sandbox `process`, against one without a sandbox',
      ratio: measured / against,
      atMost: 1.15,
      detail: `${(measured / 1_000).toFixed(2)} s against ${(against / 1_000).toFixed(2)} s`,
    },
  ];
};
