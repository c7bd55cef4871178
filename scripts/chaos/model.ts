// The same attempts, said by a scripted model to the real Claude Code.
import {
  blocksOf,
  FINISHED,
  type Request,
  serveModel,
  sessionOf,
  type Turn,
  taskOf,
  textOf,
  thriftyEnv,
} from '../../test/support/scripted-model.ts';
import { acknowledge, holdFile } from './ledger.ts';
import type { Plan, Step } from './plan.ts';

export type ChaosModel = {
  /** Where what was acknowledged is written down. */
  writeTo(ledger: string): void;
  envFor(home: string): Record<string, string>;
  close(): Promise<void>;
};

type Conversation = { session: string; task: number; steps: Step[]; acknowledged: Set<string> };

/** More turns than any attempt has, with all that must be said again: only a session that lost its task gets there. */
const MOST_TURNS = 40;

export async function startModel({ tasks }: Plan): Promise<ChaosModel> {
  const conversations = new Map<string, Conversation>();
  const begun = new Map<number, number>();
  let ledger = '';

  const begin = (session: string, task: number): Conversation => {
    const attempt = begun.get(task) ?? 0;
    begun.set(task, attempt + 1);
    const attempts = tasks.find(({ id }) => id === task)?.attempts ?? [];
    const steps = attempts[Math.min(attempt, attempts.length - 1)] ?? [];
    return { session, task, steps, acknowledged: new Set() };
  };

  const model = await serveModel((asked, said) => {
    const [session, task] = [sessionOf(asked), taskOf(asked)];
    if ((asked.tools ?? []).length === 0 || session === null || task === null) return FINISHED;
    const conversation = conversations.get(session) ?? begin(session, task);
    conversations.set(session, conversation);
    const step = conversation.steps[hear(asked, conversation, ledger)];
    return step === undefined || said >= MOST_TURNS ? FINISHED : toTurn(step, ledger);
  });
  return {
    writeTo: (folder) => {
      ledger = folder;
    },
    envFor: (home) => thriftyEnv(home, model.url),
    close: model.close,
  };
}

/** How many steps have been taken. A verb that failed, because its server was killed, is due again. */
function hear(asked: Request, { session, task, steps, acknowledged }: Conversation, ledger: string): number {
  let taken = 0;
  for (const result of blocksOf(asked, 'user').filter(({ type }) => type === 'tool_result')) {
    const step = steps[taken];
    if (step === undefined) break;
    if ('say' in step) {
      if (!textOf(result).startsWith('Recorded')) continue;
      const { say: verb, nonce, honest } = step;
      if (!acknowledged.has(nonce)) acknowledge(ledger, { task, session, verb, nonce, honest });
      acknowledged.add(nonce);
    }
    taken += 1;
  }
  return taken;
}

function toTurn(step: Step, ledger: string): Turn {
  if ('say' in step) return { tool: `mcp__ralph__${step.say}`, input: step.args };
  const command = 'shell' in step ? step.shell : `sleep ${step.pauseMs / 1_000}`;
  const waitingCommand = `while [ -e '${holdFile(ledger)}' ]; do sleep 0.05; done; ${command}`;
  return { tool: 'Bash', input: { command: waitingCommand, description: 'a step' } };
}
