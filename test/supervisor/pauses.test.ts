import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AgentFault } from '../../src/domain/sessions/agent-failure.ts';
import { resumeTime, savePark, startRun } from '../../src/queue/sessions/runs.ts';
import { NOT_RUN } from '../../src/supervisor/agents/session-end.ts';
import { createPauses, FIRST_PAUSE_MS, waitUntil } from '../../src/supervisor/pauses.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { openTestQueue } from '../support/queue.ts';
import { initialised, runWithin } from '../support/ralph.ts';

const MINUTE = 60_000;
const unreachable = { ...NOT_RUN, fault: 'unreachable' as const };
const limited = { ...NOT_RUN, fault: 'usage_limit' as const };

function waiting(outageMs: number, briefMs = 5 * MINUTE, isEndless = false) {
  let now = 0;
  const pauses = createPauses({ now: () => now, pauseMs: 5 * MINUTE, outageMs, briefMs, isEndless });
  /** How long it waits, and then it is that much later. */
  const next = (end = unreachable as typeof NOT_RUN): number | null => {
    const until = pauses.after(end)?.until ?? null;
    const waited = until === null ? null : until - now;
    now += waited ?? 0;
    return waited;
  };
  return { next, after: pauses.after };
}

it('the pauses of an outage double up to five minutes, and end when the run has waited for an hour', () => {
  const { next } = waiting(60 * MINUTE);
  const waits = Array.from({ length: 30 }, () => next()).filter((wait) => wait !== null);
  expect(waits.slice(0, 8)).toEqual([5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1_000));
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(60 * MINUTE);
});

it('a run waits for an outage without end if the person wants that', () => {
  const { next } = waiting(Number.POSITIVE_INFINITY);
  expect(Array.from({ length: 1_000 }, () => next()).at(-1)).toBe(5 * MINUTE);
});

it('a session without an outage resets the pauses', () => {
  const { next } = waiting(MINUTE);
  next();
  next();
  expect(next(NOT_RUN)).toBeNull();
  expect(next()).toBe(FIRST_PAUSE_MS);
});

it.each(['overloaded', 'rate_limit', 'usage_limit'] as const)(
  'the pauses of the fault %s, whose end nobody announced, end after a few minutes',
  (fault) => {
    const { next } = waiting(60 * MINUTE);
    const waits = Array.from({ length: 30 }, () => next({ ...NOT_RUN, fault })).filter(
      (wait) => wait !== null,
    );
    expect(waits[0]).toBe(FIRST_PAUSE_MS);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(5 * MINUTE);
  },
);

it('an outage that is interrupted by an overload is waited for as an outage', () => {
  const { next } = waiting(60 * MINUTE);
  const waits = Array.from({ length: 40 }, (_, index) =>
    next({ ...NOT_RUN, fault: index % 2 === 0 ? 'unreachable' : 'overloaded' }),
  );
  expect(waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0)).toBe(60 * MINUTE);
});

it('a run waits by itself for a limit that ends soon, but for one that ends late only if it is asked to', () => {
  const { after } = waiting(MINUTE);
  const until = (limited_until: number) => after({ ...limited, limited_until });
  expect(until(7_000)).toMatchObject({ until: 7_000, isAwaited: true });
  expect(until(5 * MINUTE + 1)).toMatchObject({ until: 5 * MINUTE + 1, isAwaited: false });
});

it('short limits in a row are awaited for a few minutes altogether', () => {
  let now = 0;
  const pauses = createPauses({
    now: () => now,
    pauseMs: 5 * MINUTE,
    outageMs: MINUTE,
    briefMs: 5 * MINUTE,
  });
  const awaited = Array.from({ length: 10 }, () => {
    const pause = pauses.after({ ...limited, limited_until: now + MINUTE });
    now += MINUTE;
    return pause?.isAwaited;
  });
  expect(awaited.filter((isAwaited) => isAwaited)).toHaveLength(5);
});

it('a limit whose announced end has passed still means a pause, and a person who has to act is not waited for', () => {
  const { next, after } = waiting(MINUTE);
  expect(next({ ...limited, limited_until: -1 })).toBe(FIRST_PAUSE_MS);
  expect(after({ ...NOT_RUN, fault: 'no_credit' })).toMatchObject({ until: null, isAwaited: false });
});

it('an agent that did not reach Ralph may go on, until its third session in a row ends like that', () => {
  const { after } = waiting(MINUTE);
  const ends = (agent: string, ...faults: readonly (AgentFault | null)[]) =>
    faults.map((fault) => after({ ...NOT_RUN, agent, fault })?.until);
  expect(ends('a', 'mcp_lost', 'agent_failed')).toEqual([0, 0]);
  // The sessions of another agent say nothing about this one.
  expect(ends('b', 'mcp_lost', null)).toEqual([0, undefined]);
  expect(ends('a', 'mcp_lost', 'mcp_lost')).toEqual([null, null]);
  expect(ends('b', 'agent_failed', 'agent_failed', null, 'mcp_lost')).toEqual([0, 0, undefined, 0]);
  expect(ends('c', 'cannot_start')).toEqual([null]);
});

it('a worker tries an agent again that a person has to mend, at longer and longer intervals', () => {
  const { next } = waiting(MINUTE, MINUTE, true);
  const missing = { ...NOT_RUN, agent: 'codex', fault: 'cannot_start' as const };
  expect([next(missing), next(missing), next(missing)]).toEqual([5_000, 10_000, 20_000]);
  expect(next({ ...missing, fault: null } as typeof NOT_RUN)).toBeNull();
  expect(next(missing)).toBe(5_000);
});

it('a later run waits for the limit of an earlier one, and not for its outage', async () => {
  const queue = await openTestQueue();
  const run_id = await startRun(queue, { pid: 1, process_started: null });
  const stopped = AbortSignal.abort();
  const input = { queue, stop: { after: stopped, now: stopped }, tell: () => {} };
  await waitUntil(input, run_id, { until: 9_000_000, fault: 'overloaded' });
  expect(await resumeTime(queue)).toBeNull();
  await waitUntil(input, run_id, { until: 8_000_000, fault: 'usage_limit' });
  expect(await resumeTime(queue)).toBe(8_000_000);
});

it('the pauses of one agent are not those of another, and its success does not end them', () => {
  const { after } = waiting(60 * MINUTE);
  const wait = (agent: string, fault: 'unreachable' | null = 'unreachable') =>
    after({ ...NOT_RUN, agent, fault })?.until;
  expect([wait('claude'), wait('claude'), wait('codex')]).toEqual([5_000, 10_000, 5_000]);
  wait('codex', null);
  expect([wait('claude'), wait('codex')]).toEqual([20_000, 5_000]);
});

const LIMITED_AGENT = `  limited: { command: [sh, -c, 'cat > /dev/null; exit 75'], protocol: sigils, faults: { limit: [75] } }
`;

const LIMITED = `agent: free
jobs: 1
gates: [{ name: ok, command: 'true' }]
limits: { brief_minutes: 0.1 }
agents:
  free: { command: [sh, -c, 'cat > /dev/null; echo x > $RALPH_SESSION_ID; echo "<TASK_DONE>"'], protocol: sigils }
${LIMITED_AGENT}`;

it('a usage limit of one agent parks its tasks only, and status says which agent waits until when', async () => {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), LIMITED);
  await project.json('trust', '--yes');
  await project.json('add', 'One', '--agent', 'limited', '--priority', 'critical');
  await project.json('add', 'Two');
  await project.json('add', 'Three', '--agent', 'free');
  // It stands still but for the waits, however long a session takes here.
  let time = Date.now();
  const now = () => time;
  let isAdded = false;
  const told: string[] = [];
  const { code, stdout } = await runWithin(['run', '--json'], {
    cwd: project.root,
    env: { HOME: project.home, PATH: process.env['PATH'] },
    now,
    onPrint: (text) => {
      const event = JSON.parse(text);
      if (event.kind === 'started') told.push(`#${event.claim.task.id}`);
      if (event.kind === 'parked' || event.kind === 'waiting') told.push(`${event.kind} ${event.agent}`);
      if (event.kind !== 'waiting') return;
      // While the run waits, a person has something for another agent to do.
      if (told.includes('#4')) time = event.until + 1;
      else if (!isAdded) void project.json('add', 'Four', '--agent', 'free');
      isAdded = true;
    },
  });
  expect(told.slice(0, 7)).toEqual([
    ...['#1', 'parked limited', '#2', '#3', 'waiting limited'],
    ...['#4', 'waiting limited'],
  ]);
  expect(code).toBe(12);
  expect(stdout).toContain('The agent \\"limited\\" has reached its usage limit');
  const tasks = (await project.json('list')) as { status: string; attempts: number }[];
  expect(tasks.map(({ status }) => status).sort()).toEqual(['done', 'done', 'done', 'pending']);
});

/** A project with these agents beside one that works, and one task for each name. */
async function mixed(agents: string, names: readonly string[], head = 'agent: free\njobs: 2') {
  const project = await initialised();
  const write = (text: string) => writeFileSync(join(project.root, '.ralph/config.yaml'), text);
  const free = LIMITED.split('\n').find((line) => line.startsWith('  free:'));
  const text = `${head}\ngates: [{ name: ok, command: 'true' }]\nagents:\n${free}\n${agents}`;
  write(text);
  for (const name of names) await project.json('add', `For ${name}`, '--agent', name);
  const run = async (...args: string[]) => {
    await project.json('trust', '--yes');
    const env = { HOME: project.home, PATH: process.env['PATH'] };
    // No pause passes meanwhile, however long a session takes here.
    const time = Date.now();
    return runWithin(['run', ...args], { cwd: project.root, env, now: () => time });
  };
  const statuses = async () =>
    ((await project.json('list')) as { id: number; status: string }[])
      .sort((one, other) => one.id - other.id)
      .map(({ status }) => status);
  return { project, text, write, run, statuses };
}

it('an agent that cannot be used holds back only its own tasks, and every place says how to mend it', async () => {
  const { project, text, write, run, statuses } = await mixed(
    `  gone: { command: [no-such-agent] }
  older: { command: [sh, -c, 'cat > /dev/null; echo unknown option >&2; exit 2'] }
  stranger: { command: [sh, -c, 'cat > /dev/null; exit 77'], faults: { auth: [77] } }
  dropped: { command: [sh] }
`,
    ['gone', 'older', 'stranger', 'dropped', 'free', 'free'],
  );
  write(text.replace(/^ {2}dropped.*\n/m, ''));
  const ended = await run();
  expect(ended.code).toBe(13);
  expect(await statuses()).toEqual([...Array(4).fill('pending'), 'done', 'done']);
  const sentences = [
    'The agent "gone" cannot be started (ENOENT); install it, or choose another with ralph edit 1 --agent NAME.',
    'The agent "older" ended with an error before it told Ralph anything, and no task was charged (it says: unknown option).',
    'The agent "stranger" is not logged in. Log in with it once, then run ralph run again.',
    'There is no agent "dropped"; define it below agents: in .ralph/config.yaml, or choose another with ralph edit 4 --agent NAME.',
  ];
  const shown = await project.within('status');
  for (const [index, sentence] of sentences.entries()) {
    expect(ended.stdout).toContain(sentence);
    expect(shown.stdout).toContain(`unusable     The last run found: ${sentence}`);
    // Each is said once: in a line of the run, and in its summary.
    expect(ended.stdout.split(sentence).length - 1).toBeLessThanOrEqual(2);
    const id = String(index + 1);
    const why = await project.within('why', id);
    expect(why.stdout).toContain(sentence);
    expect(why.stdout).not.toContain('is ready: nothing holds it back');
    expect((await project.within('show', id)).stdout).toContain(sentence);
    const tries = sentence.includes('older') ? 3 : 1;
    expect(await project.json('show', id)).toMatchObject({ attempts: 0, sessions: { length: tries } });
  }
  // Nothing of it holds for the next run: a person may have mended it, or another machine has the program.
  write(text.replaceAll(/^ {2}(gone|older|stranger|dropped):.*$/gm, (_, name) => freeAs(name)));
  expect(await run('--wait')).toMatchObject({ code: 0 });
  expect(await statuses()).toEqual(Array(6).fill('done'));
  expect((await project.within('status')).stdout).not.toContain('unusable');
});

const freeAs = (name: string): string =>
  LIMITED.split('\n')
    .find((line) => line.startsWith('  free:'))
    ?.replace('free', name) ?? '';

it('a task that may climb leaves its limited or missing agent for the next rung of another', async () => {
  const ladder = 'agent: limited\nladder: [limited/a, free/b]\nwhen_limited: climb';
  const { project, text, write, run, statuses } = await mixed(LIMITED_AGENT, [], ladder);
  await project.json('add', 'One');
  expect(await run()).toMatchObject({ code: 0 });
  write(text.replace(LIMITED_AGENT, '  limited: { command: [no-such-agent] }\n'));
  await project.json('add', 'Two');
  await project.json('add', 'Three', '--agent', 'limited');
  expect(await run()).toMatchObject({ code: 13 });
  for (const id of ['1', '2'])
    expect(await project.json('show', id)).toMatchObject({
      attempts: 0,
      sessions: [{ outcome: 'interrupted' }, { outcome: 'done' }],
    });
  // The third names its agent, so it waits for it.
  expect(await statuses()).toEqual(['done', 'done', 'pending']);
});

it('ralph status names the agent that a limit of a run holds back, and when it ends', async () => {
  const { queue, run_id, ...project } = await workedProject('One');
  const until = Date.now() + 3_600_000;
  await savePark(queue, run_id, { agent: 'codex', until });
  await savePark(queue, run_id, { agent: 'copilot', until: until + 1 });
  expect(await project.json('status')).toMatchObject({
    parked: [
      { agent: 'codex', until },
      { agent: 'copilot', until: until + 1 },
    ],
  });
  expect((await project.within('status')).stdout).toMatch(
    /^limited +codex has reached its usage limit, until /m,
  );
});

/** A `claude` that prints these lines in its first sessions and nothing in later ones. */
async function meeting(sessions: (now: number) => object[][], ...args: string[]) {
  const project = await initialised();
  await project.json('add', 'One');
  // It stands still but for the waits, however long a session takes here.
  let time = Date.now();
  const now = () => time;
  sessions(now()).forEach((lines, index) => {
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    writeFileSync(join(project.home, `${index + 1}.jsonl`), `${text}\n`);
  });
  const count = 'n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n';
  mkdirSync(join(project.home, 'bin'));
  writeFileSync(
    join(project.home, 'bin/claude'),
    `#!/bin/sh\ncd ${JSON.stringify(project.home)}; ${count}; test ! -e $n.jsonl || { cat $n.jsonl; exit 1; }\n`,
  );
  chmodSync(join(project.home, 'bin/claude'), 0o755);
  const waits: { fault: string; seconds: number }[] = [];
  const { code, stdout } = await runWithin(['run', '--max-sessions', '4', '--json', ...args], {
    cwd: project.root,
    env: { HOME: project.home, PATH: `${join(project.home, 'bin')}:${process.env['PATH']}` },
    now,
    onPrint: (text) => {
      const { kind, until, fault } = JSON.parse(text) as { kind: string; until: number; fault: string };
      if (kind !== 'waiting') return;
      waits.push({ fault, seconds: Math.ceil((until - now()) / 1_000) });
      time = until + 1;
    },
  });
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as { sentence: string };
  return { code, waits, sentence: last.sentence, task: await project.json('show', '1') };
}

const init = (apiKeySource: string) => ({
  type: 'system',
  subtype: 'init',
  apiKeySource,
  mcp_servers: [{ name: 'ralph', status: 'connected' }],
});
const refused = (api_error_status: number) => ({
  type: 'result',
  subtype: 'success',
  is_error: true,
  api_error_status,
});
const limitUntil = (time: number) => ({
  type: 'rate_limit_event',
  rate_limit_info: { status: 'rejected', resetsAt: Math.ceil(time / 1_000) },
});

it('a run without --wait waits out an overload, a rate limit and a usage limit of seconds, by their names', async () => {
  const { waits, task, code } = await meeting((now) => [
    [init('ANTHROPIC_API_KEY'), refused(529)],
    [init('ANTHROPIC_API_KEY'), refused(429)],
    [init('none'), limitUntil(now + 60_000), refused(429)],
  ]);
  expect(waits).toMatchObject([
    { fault: 'overloaded', seconds: 5 },
    { fault: 'rate_limit', seconds: 10 },
    { fault: 'usage_limit' },
  ]);
  // The fourth session got through: it has no verb, and that is the agent's own fault.
  expect(task).toMatchObject({ attempts: 0, stuck_count: 1, sessions: { length: 4 } });
  expect(code).toBe(0);
});

it('a usage limit of hours ends the run at once with 12, and the sentence says when to come back', async () => {
  const { waits, task, code, sentence } = await meeting((now) => [
    [init('none'), limitUntil(now + 3 * 60 * MINUTE), refused(429)],
  ]);
  expect([waits, code]).toEqual([[], 12]);
  expect(sentence).toMatch(/has reached its usage limit, .* Run ralph run again after /);
  expect(task).toMatchObject({ status: 'pending', sessions: { length: 1 } });
});
