// biome-ignore-all lint/suspicious/noTemplateCurlyInString: people write variables so.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { NotifyTarget } from '../../src/domain/config.ts';
import { NEED_KINDS, type Need } from '../../src/domain/notifications/notification.ts';
import { recordProposed } from '../../src/queue/definitions/proposals.ts';
import {
  beginOutbox,
  collectNeeds,
  openNotifications,
  takeNeeds,
} from '../../src/queue/notifications/outbox.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { savePark, startRun, stopRun } from '../../src/queue/sessions/runs.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { answer } from '../../src/queue/tasks/answer.ts';
import { openNotifier, tellNeeds } from '../../src/supervisor/notifier.ts';
import { openTestQueue, runSession } from '../support/queue.ts';
import { initialised, runWithin } from '../support/ralph.ts';
import { scripted } from '../support/scripted-agent.ts';
import { tempDir } from '../support/temp.ts';
import { webhook } from '../support/webhook.ts';

const ask = { verb: 'ask', question: 'Which zone?', blocking: true } as const;
const partial = { verb: 'partial', summary: 's', remaining: 'r' } as const;

const target = (more: Partial<NotifyTarget>): NotifyTarget => ({
  webhook: null,
  shape: 'json',
  chat: null,
  command: null,
  desktop: false,
  on: [...NEED_KINDS],
  quiet: null,
  ...more,
});

/** `isFirst`: no run has looked yet. */
async function notified(notify: NotifyTarget[], { env = {}, isFirst = false } = {}) {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'one' }, { title: 'two' }]);
  if (!isFirst) await beginOutbox(queue);
  const problems: string[] = [];
  const root = tempDir();
  let minutes = 12 * 60;
  const input = {
    queue,
    root,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    slotsFolder: root,
    config: {
      notify,
      env: ['PASSED_ON'],
      commit: 'task' as const,
      github: { api: 'https://api.github.com', sync: false, repository: null },
    },
    onProblem: (text: string) => problems.push(text),
    timeOfDay: () => minutes,
  };
  return {
    queue,
    problems,
    root,
    input,
    at: (hour: number) => {
      minutes = hour * 60;
    },
    tell: () => tellNeeds(input, { isLast: true }),
    tellDue: () => tellNeeds(input),
  };
}

const askFor = (queue: Queue) => runSession(queue, [ask, partial]);

it('a question is told once with the command that answers it, however often Ralph looks', async () => {
  const { url, bodies } = await webhook();
  const { queue, tell, problems } = await notified([target({ webhook: url })]);
  await askFor(queue);
  await tell();
  later(queue, 3_600_000);
  await tell();
  expect(bodies.map((body) => JSON.parse(body).needs)).toMatchObject([
    [{ kind: 'question', text: '#1 one asks Q1: Which zone?', command: 'ralph answer 1 "..."' }],
  ]);
  expect(problems).toEqual([]);
});

it('a question that was answered before Ralph looked is not told', async () => {
  const { url, bodies } = await webhook();
  const { queue, tell } = await notified([target({ webhook: url })]);
  await askFor(queue);
  await answer(queue, 1, 'UTC');
  await tell();
  expect(bodies).toEqual([]);
});

it('a question that was answered while its message waited is not told, and the next one is told once', async () => {
  const { url, bodies } = await webhook(500);
  const { queue, tell } = await notified([target({ webhook: url, on: ['question'] })]);
  await askFor(queue);
  await tell();
  await answer(queue, 1, 'UTC');
  await askFor(queue);
  later(queue, 60_000);
  await tell();
  const texts = bodies.map((body) => JSON.parse(body).needs.map(({ text }: Need) => text));
  expect(texts).toEqual([['#1 one asks Q1: Which zone?'], ['#1 one asks Q2: Which zone?']]);
  expect(await openNotifications(queue)).toEqual([]);
});

it('a need from before the first run is no news, and one from between two runs is told by the next', async () => {
  const { url, bodies } = await webhook();
  const { queue, input } = await notified([target({ webhook: url })], { isFirst: true });
  await askFor(queue);
  await (await openNotifier(input)).end();
  expect(bodies).toEqual([]);
  await askFor(queue);
  await (await openNotifier(input)).end();
  expect(bodies.map((body) => JSON.parse(body).needs)).toMatchObject([
    [{ text: '#2 two asks Q2: Which zone?' }],
  ]);
});

it('a problem that comes back is told once in a run, and another problem as well', async () => {
  const { url } = await webhook(500, 500, 503);
  const { queue, input, problems } = await notified([target({ webhook: url })]);
  const notifier = await openNotifier(input);
  await askFor(queue);
  for (let look = 0; look < 3; look += 1) {
    later(queue, 3_600_000);
    await notifier.end();
  }
  expect(problems).toEqual([
    expect.stringContaining('it answered 500'),
    expect.stringContaining('it answered 503'),
  ]);
});

it('a service that fails gets the need again after a pause, and no other need is lost meanwhile', async () => {
  const { url, bodies } = await webhook(500);
  const other = await webhook();
  const { queue, tell, tellDue, problems } = await notified([
    target({ webhook: url }),
    target({ webhook: `${other.url}`, on: ['finished'] }),
  ]);
  await askFor(queue);
  await tell();
  await tellDue();
  expect(bodies).toHaveLength(1);
  expect(problems).toEqual([
    expect.stringMatching(
      /^the notification to webhook 127\.0\.0\.1:\d+ failed: it answered 500; Ralph tries again$/,
    ),
  ]);
  await stopRun(queue, 1, 'waiting');
  later(queue, 60_000);
  await tell();
  expect(JSON.parse(bodies[1] ?? '').needs.map(({ kind }: { kind: string }) => kind)).toEqual([
    'question',
    'finished',
  ]);
  expect(other.bodies.map((body) => JSON.parse(body).title)).toEqual([
    expect.stringContaining('what is left waits for you'),
  ]);
});

it('a need that a killed process had taken is told later, and by one process alone', async () => {
  const { url, bodies } = await webhook();
  const { queue, tell } = await notified([target({ webhook: url })]);
  await askFor(queue);
  const key = `webhook ${new URL(url).host}`;
  await collectNeeds(queue, [{ key, on: ['question'] }]);
  const [mine, others] = await Promise.all([
    takeNeeds(queue, [key], { isLast: true }),
    takeNeeds(queue, [key], { isLast: true }),
  ]);
  expect([mine.length, others.length]).toEqual([1, 0]);
  await tell();
  expect(bodies).toEqual([]);
  later(queue, 60_000);
  await tell();
  expect(bodies).toHaveLength(1);
});

it('a message that a service took from a killed process comes again as it was, with its key, and later needs in another one', async () => {
  const { url, bodies, keys } = await webhook();
  const { queue, input, tell } = await notified([target({ webhook: url })]);
  await askFor(queue);
  await askFor(queue);
  const { write } = queue.store;
  const killed: typeof fetch = async (...request) => {
    const answered = await fetch(...request);
    queue.store.write = () => Promise.reject(new Error('killed'));
    return answered;
  };
  await expect(tellNeeds({ ...input, send: killed }, { isLast: true })).rejects.toThrow('killed');
  queue.store.write = write;
  await answer(queue, 1, 'UTC');
  await askFor(queue);
  later(queue, 60_000);
  await tell();
  const texts = bodies.map((body) => JSON.parse(body).needs.map(({ text }: Need) => text));
  const [first, second, third] = ['#1 one asks Q1', '#2 two asks Q2', '#1 one asks Q3'].map(
    (text) => `${text}: Which zone?`,
  );
  // The first need was met meanwhile; the rest of its message is still the message that the service has.
  expect(texts).toEqual([[first, second], [second], [third]]);
  expect(keys).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/),
    keys[0],
    expect.not.stringMatching(`${keys[0]}`),
  ]);
  expect(bodies.map((body) => JSON.parse(body).key)).toEqual(keys);
});

it('a message that a service refused has the same key when it is sent again', async () => {
  const { url, keys } = await webhook(500);
  const { queue, tell } = await notified([target({ webhook: url })]);
  await askFor(queue);
  await tell();
  later(queue, 60_000);
  await tell();
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

it('definitions to approve and a limit are told, each with its command', async () => {
  const { url, bodies } = await webhook();
  const { queue, tell } = await notified([target({ webhook: url, on: ['approval', 'limit'] })]);
  const run = await startRun(queue, { pid: 1, process_started: null });
  const changes = [{ path: '.ralph/tasks.yaml', before: '', after: 'x' }];
  await recordProposed(queue, { session_id: 'none', task_id: 1, changes });
  await recordProposed(queue, { session_id: null, task_id: null, changes });
  await savePark(queue, run, { agent: 'codex', until: 7_200_000 });
  await stopRun(queue, run, 'limit');
  await tell();
  expect(bodies.map((body) => JSON.parse(body).needs)).toMatchObject([
    [
      {
        kind: 'approval',
        text: '#1 proposes to change 1 file below .ralph',
        command: 'ralph approve --definitions',
      },
      { kind: 'approval', text: '1 file below .ralph changed while agents were at work' },
      {
        kind: 'limit',
        text: expect.stringMatching(
          /^The agent codex has reached its usage limit; the run tries it again at /,
        ),
        command: 'ralph status',
      },
      { kind: 'limit', text: 'The run stopped at its limit', command: 'ralph report' },
    ],
  ]);
});

it('the desktop shows title and text as they are, and what fails there is a sentence', async () => {
  const bin = tempDir();
  const name = process.platform === 'darwin' ? 'osascript' : 'notify-send';
  const { queue, tell, problems } = await notified([target({ desktop: true })], {
    env: { PATH: `${bin}:${process.env['PATH']}` },
  });
  const shim = (last: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$@" > "${bin}/shown"\n${last}\n`, {
      mode: 0o755,
    });
  shim('exit 1');
  await runSession(queue, [{ ...ask, question: '--help $(touch x) "quoted"?' }, partial]);
  await tell();
  expect(problems).toEqual([
    `the notification to desktop failed: ${name} failed; is there a desktop?; Ralph tries again`,
  ]);
  shim('exit 0');
  later(queue, 60_000);
  await tell();
  const shown = readFileSync(join(bin, 'shown'), 'utf8');
  expect(shown).toContain('#1 one asks Q1: --help $(touch x) ');
  expect(shown).toContain('ralph answer 1');
  if (name === 'notify-send') expect(shown.split('\n').slice(0, 2)).toEqual(['--app-name=Ralph', '--']);
  expect(await openNotifications(queue)).toEqual([]);
});

it('in quiet hours nothing is told, and afterwards everything, in one message', async () => {
  const { url, bodies } = await webhook();
  const { queue, tell, at } = await notified([target({ webhook: url, quiet: '22:00-07:00' })]);
  at(23);
  await askFor(queue);
  await askFor(queue);
  for (let look = 0; look < 40; look += 1) await tell();
  expect(bodies).toEqual([]);
  at(7);
  await tell();
  expect(bodies.map((body) => JSON.parse(body).needs.length)).toEqual([2]);
});

it('a command gets the text on stdin and only the variables of gates, and its failure is a sentence', async () => {
  const { queue, root, tell, problems } = await notified(
    [target({ command: ['sh', '-c', 'cat > text; env > env; exit 3'] }), target({ webhook: '${MISSING}' })],
    { env: { TOKEN_OF_SERVICE: 'secret', ANTHROPIC_API_KEY: 'secret', LANG: 'C', PASSED_ON: 'yes' } },
  );
  await askFor(queue);
  await tell();
  expect(readFileSync(join(root, 'text'), 'utf8')).toContain('#1 one asks Q1: Which zone?\n  ralph answer 1');
  const env = readFileSync(join(root, 'env'), 'utf8');
  expect(env).not.toContain('secret');
  expect(env.split('\n')).toEqual(expect.arrayContaining(['LANG=C', 'PASSED_ON=yes']));
  expect(problems).toEqual([
    'the notification to command sh failed: it ended with 3; Ralph tries again',
    'the notification to webhook MISSING failed: the variable MISSING is not set; Ralph tries again',
  ]);
});

/** Moves the clock of the queue, which otherwise ticks by one. */
function later(queue: Queue, milliseconds: number): void {
  const { now } = queue;
  (queue as { now: () => number }).now = () => now() + milliseconds;
}

it('a run tells what needs the person, and at last that it has ended', async () => {
  const { project } = await scripted(
    {
      1: [
        [
          { verb: 'ask', args: { question: 'Which zone?', blocking: true } },
          { verb: 'partial', args: { summary: 's', remaining: 'r' } },
        ],
      ],
    },
    'notify: [{ command: [sh, -c, "cat >> ~/told"] }]\n',
  );
  await project.json('add', 'Store times');
  await project.within('run');
  const told = readFileSync(join(project.home, 'told'), 'utf8');
  expect(told).toContain('#1 Store times asks Q1: Which zone?\n  ralph answer 1 "..."');
  expect(told).toContain('The run stopped: what is left waits for you\n  ralph report');
});

it('a test message reaches a command, which gets no secret with it', async () => {
  const project = await initialised();
  const { root, home } = project;
  appendFileSync(
    join(root, '.ralph/config.yaml'),
    'notify: [{ command: [sh, -c, "cat > ~/text; env > ~/env"] }]\n',
  );
  await project.json('trust', '--yes');
  const env = { HOME: home, PATH: process.env['PATH'], TOKEN_OF_SERVICE: 'secret' };
  const sent = await runWithin(['notify', 'test'], { cwd: root, env });
  expect(sent).toEqual({ code: 0, stdout: '✓ command sh\n', stderr: '' });
  expect(readFileSync(join(home, 'text'), 'utf8')).toContain('This is a test: Ralph can reach you.');
  expect(readFileSync(join(home, 'env'), 'utf8')).not.toContain('secret');
});
