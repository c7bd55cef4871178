import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { MachineFailed } from '../../src/domain/refusal.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import type { Agent, Plan } from '../../src/supervisor/agent.ts';
import { runAgent } from '../../src/supervisor/run-agent.ts';
import { tempDir } from '../support/temp.ts';

/** Each line that it prints is a result. */
const agentOf = (script: string): Agent => ({
  executable: 'sh',
  launch: () => ({ command: ['sh', '-c', script], env: {}, stdin: '', files: {} }),
  observe: (text) => [{ kind: 'result', usage: NO_USAGE, limit: null, fault: null, text }],
});

const planIn = (folder: string): Plan => ({
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
});

it('leaves no clock running, also where the last lines are read after the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const folder = tempDir();
  const plan = planIn(folder);
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

const options = {
  env: { PATH: process.env['PATH'] },
  limits: { session_seconds: 600, idle_seconds: 600 },
  stop: new AbortController().signal,
  onObservation: () => {},
};

it('an agent whose output cannot be stored is ended, and the machine is to blame', async () => {
  const folder = tempDir();
  symlinkSync('/dev/full', join(folder, 'stream.jsonl'));
  const end = await runAgent(agentOf('echo lost; exec sleep 600'), planIn(folder), options);
  expect(end).toMatchObject({
    fault: 'machine_failed',
    hindrance: {
      kind: 'machine_failed',
      reason: expect.stringMatching(/stream\.jsonl cannot be written \(ENOSPC\); check the disk/),
    },
  });
});

it('errors of an agent that cannot be stored are the fault of the machine', async () => {
  const folder = tempDir();
  symlinkSync('/dev/full', join(folder, 'stream.stderr'));
  const end = await runAgent(agentOf('echo lost >&2'), planIn(folder), options);
  expect(end.hindrance).toMatchObject({ reason: expect.stringContaining('stream.stderr cannot be written') });
});

it('an agent is not started where its stream cannot be opened', async () => {
  const folder = tempDir();
  mkdirSync(join(folder, 'stream.jsonl'));
  await expect(runAgent(agentOf('touch started'), planIn(folder), options)).rejects.toBeInstanceOf(
    MachineFailed,
  );
  expect(existsSync(join(folder, 'started'))).toBe(false);
});
