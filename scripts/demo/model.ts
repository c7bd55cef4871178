// The same story, said by a scripted model to a real agent: Claude Code, or another one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RealAgent } from '../../test/support/agents.ts';
import {
  blocksOf,
  FINISHED,
  type Request,
  scriptedEnv,
  serveModel,
  sessionOf,
  type Turn,
  taskOf,
  textOf,
} from '../../test/support/scripted-model.ts';
import type { Attempts, DemoProject } from './make-project.ts';
import type { Step } from './script.ts';
import { MEETING } from './story.ts';

export type DemoModel = {
  url: string;
  /** From then on it tells the story of this project. Answers with what its commands are started with. */
  begin(made: Pick<DemoProject, 'script' | 'env'>): Record<string, string>;
  close(): Promise<void>;
};

/** `agent`: null for Claude Code. `bin`: the folder of its program. */
export async function startModel(
  attempts: Attempts,
  agent: RealAgent | null = null,
  bin = '',
): Promise<DemoModel> {
  let script = '';
  const sessions = new Map<string, readonly Step[]>();
  const begun = new Map<number, number>();
  const model = await serveModel((asked, said) => {
    const [session, task] = [sessionOf(asked) ?? requestPrompt(asked), taskOf(asked)];
    if ((asked.tools ?? []).length === 0 || session === null || task === null) return FINISHED;
    const steps = sessions.get(session) ?? takeSteps(task, blocksOf(asked, 'user').map(textOf).join('\n'));
    sessions.set(session, steps);
    const step = steps[said];
    return step === undefined ? FINISHED : toTurn(step, script, agent);
  });

  function takeSteps(task: number, prompt: string): readonly Step[] {
    const attempt = begun.get(task) ?? 0;
    begun.set(task, attempt + 1);
    writeFileSync(join(script, `${task}.${attempt}.prompt`), prompt);
    return attempts[task]?.[attempt] ?? [];
  }

  const begin: DemoModel['begin'] = ({ script: folder, env }) => {
    script = folder;
    if (agent !== null) {
      // The cache of the tests, which the sandbox keeps from being written.
      const { COPILOT_CACHE_HOME: _, ...own } = agent.env(model.url);
      return { ...own, HOME: env.HOME, PATH: `${bin}:${env.PATH}` };
    }
    // The demonstration shows what a person gets, so it has the sandbox that a person has.
    const { RALPH_SANDBOX: _, ...own } = scriptedEnv(env.HOME, model.url);
    return own;
  };
  return { url: model.url, begin, close: model.close };
}

/** Other agents do not tell the model which session it is, but no two sessions get the same prompt. */
const requestPrompt = (asked: Request): string | null =>
  blocksOf(asked, 'user')
    .map(textOf)
    .find((text) => /^## Your task: #/m.test(text)) ?? null;

function toTurn(step: Step, meeting: string, agent: RealAgent | null): Turn {
  if (agent !== null && 'verb' in step) return agent.verb(step.verb, step.args);
  if (agent !== null && 'shell' in step) return agent.shell(step.shell.replaceAll(MEETING, meeting));
  if ('verb' in step) return { tool: `mcp__ralph__${step.verb}`, input: step.args };
  return 'shell' in step
    ? { tool: 'Bash', input: { command: step.shell.replaceAll(MEETING, meeting), description: 'work' } }
    : { text: 'I am gone.' };
}
