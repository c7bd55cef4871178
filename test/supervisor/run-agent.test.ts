import { expect, it, vi } from 'vitest';
import { NO_USAGE } from '../../src/domain/session.ts';
import type { Agent } from '../../src/supervisor/agent.ts';
import { runAgent } from '../../src/supervisor/run-agent.ts';
import { tempDir } from '../support/temp.ts';

/** Each line that it prints is a result. */
const agentOf = (script: string): Agent => ({
  executable: 'sh',
  launch: () => ({ command: ['sh', '-c', script], env: {}, stdin: '', files: {} }),
  observe: (text) => [{ kind: 'result', usage: NO_USAGE, limit: null, fault: null, text }],
});

it('leaves no clock running, also where the last lines are read after the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const folder = tempDir();
  const plan = {
    session_id: crypto.randomUUID(),
    client_id: crypto.randomUUID(),
    recipe: 'task_execution',
    argument: '1',
    root: folder,
    folder,
    model: 'haiku',
    max_turns: 1,
    budget_usd: 1,
    permissions: 'default',
    tools: [],
    system: '',
    prompt: '',
    learnings: [],
    env: {},
    mcpServers: {},
    ralph: [],
  } as const;
  const texts: string[] = [];
  const options = {
    env: { PATH: process.env['PATH'] },
    limits: { session_seconds: 600, idle_seconds: 600 },
    stop: new AbortController().signal,
    onObservation: (seen: object) => texts.push('text' in seen ? String(seen.text) : ''),
  };
  // The second has no environment that it could be known by, and speaks when the first has gone.
  const late = 'env -i sh -c ": > there; while kill -0 $$ 2>/dev/null; do :; done; echo late"';
  try {
    await runAgent(agentOf(`${late} & until test -e there; do :; done`), plan, options);
    expect(texts).toEqual(['late']);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
