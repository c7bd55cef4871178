// The same story, said by a scripted model to the real Claude Code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  blocksOf,
  FINISHED,
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

export async function startModel(
  { script, env }: Pick<DemoProject, 'script' | 'env'>,
  attempts: Attempts,
): Promise<{ env: Record<string, string>; close(): Promise<void> }> {
  const sessions = new Map<string, readonly Step[]>();
  const begun = new Map<number, number>();
  const model = await serveModel((asked, said) => {
    const [session, task] = [sessionOf(asked), taskOf(asked)];
    if ((asked.tools ?? []).length === 0 || session === null || task === null) return FINISHED;
    const steps = sessions.get(session) ?? begin(task, blocksOf(asked, 'user').map(textOf).join('\n'));
    sessions.set(session, steps);
    const step = steps[said];
    return step === undefined ? FINISHED : turnOf(step, script);
  });

  function begin(task: number, prompt: string): readonly Step[] {
    const attempt = begun.get(task) ?? 0;
    begun.set(task, attempt + 1);
    writeFileSync(join(script, `${task}.${attempt}.prompt`), prompt);
    return attempts[task]?.[attempt] ?? [];
  }

  // The demonstration shows what a person gets, so it has the sandbox that a person has.
  const { RALPH_SANDBOX: _, ...own } = scriptedEnv(env.HOME, model.url);
  return { env: own, close: model.close };
}

function turnOf(step: Step, meeting: string): Turn {
  if ('verb' in step) return { tool: `mcp__ralph__${step.verb}`, input: step.args };
  return 'shell' in step
    ? { tool: 'Bash', input: { command: step.shell.replaceAll(MEETING, meeting), description: 'work' } }
    : { text: 'I am gone.' };
}
