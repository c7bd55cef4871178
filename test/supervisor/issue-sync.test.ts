// The issues that tasks came from are told what became of them: once, whatever dies in between, and only where a person wants it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Config } from '../../src/domain/config.ts';
import { NO_WORK } from '../../src/domain/sessions/gate.ts';
import { importedBoards, rememberBoard } from '../../src/queue/exchange/imported-boards.ts';
import { beginOutbox, openNotifications } from '../../src/queue/notifications/outbox.ts';
import { recordOpened, takePulls } from '../../src/queue/pull-requests/look.ts';
import { settleMerged } from '../../src/queue/pull-requests/settle-pull.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { answer as answerQuestion } from '../../src/queue/tasks/answer.ts';
import { reopen } from '../../src/queue/tasks/change-status.ts';
import { insertReferences } from '../../src/store/tasks/references.ts';
import { tellNeeds } from '../../src/supervisor/notifier.ts';
import { untoldLines } from '../../src/text/outbox-text.ts';
import { answer, type FakeGithub, fakeGithub, onRequest, setState } from '../support/github.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../support/queue.ts';
import { runWithin } from '../support/ralph.ts';
import { done as finished, scripted, shell } from '../support/scripted-agent.ts';

const COMMIT = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
const done = { verb: 'done', summary: 'Added it.' } as const;
const ask = (question: string) => ({ verb: 'ask', question, blocking: true }) as const;
const partial = { verb: 'partial', summary: 's', remaining: 'r' } as const;
const work = { tree_hash: null, diff_stat: null, covers: [] };

type Synced = {
  fake: FakeGithub;
  queue: Queue;
  problems: string[];
  tell(fetchIt?: typeof fetch): Promise<void>;
  later(milliseconds: number): void;
};

/** A queue whose tasks 1 and 2 came from issues of the same numbers. */
async function synced({
  isImported = true,
  token = 'a-token-of-nobody',
  commit = 'task' as Config['commit'],
} = {}): Promise<Synced> {
  const fake = await fakeGithub([
    { number: 1, title: 'One' },
    { number: 2, title: 'Two' },
  ]);
  const real = await openTestQueue();
  let passed = 0;
  const queue = { ...real, now: () => real.now() + passed };
  await addTasks(queue, [{ title: 'One' }, { title: 'Two' }]);
  const board = `${new URL(fake.api).host}/octo/shelf`;
  await queue.store.write((db) =>
    insertReferences(
      db,
      [1, 2].map((id) => ({ source: 'github', board, id: String(id), task_id: id, seen: null })),
    ),
  );
  if (isImported) await rememberBoard(queue, board);
  await beginOutbox(queue);
  const problems: string[] = [];
  const input = {
    queue,
    root: '/home/kim/shelf',
    slotsFolder: '/home/kim/.cache/slots',
    env: { PATH: '', HOME: '/home/kim', ...(token !== '' && { GH_ENTERPRISE_TOKEN: token }) },
    config: {
      notify: [],
      env: [],
      commit,
      github: { api: fake.api, repository: null, sync: true },
    },
    onProblem: (text: string) => problems.push(text),
  };
  return {
    fake,
    queue,
    problems,
    tell: (fetchIt = fetch) =>
      tellNeeds({ ...input, github: { fetch: fetchIt, sleep: async () => {}, now: () => queue.now() } }),
    later: (milliseconds) => {
      passed += milliseconds;
    },
  };
}

/** Every landing makes a commit of its own. */
const finish = (queue: Queue, commit = COMMIT) =>
  runSession(queue, [done], {
    effects: { ...effectsWith(gateResult(true)), commit: async () => ({ ...work, commit }) },
  });
const finishBoth = async (queue: Queue): Promise<void> => {
  await finish(queue);
  await finish(queue, COMMIT.replaceAll('c', 'd'));
};

it('a task that landed comments once with its commit and closes its issue', async () => {
  const { fake, queue, problems, tell, later } = await synced();
  await finish(queue);
  await tell();
  expect(fake.comments).toMatchObject([{ issue: 1, body: expect.stringContaining(`landed in ${COMMIT}.`) }]);
  expect(fake.issues[0]).toMatchObject({ state: 'closed', state_reason: 'completed' });
  expect(fake.issues[1]?.state).toBeUndefined();
  fake.asked = [];
  later(3_600_000);
  await tell();
  expect({ asked: fake.asked, problems }).toEqual({ asked: [], problems: [] });
  // A review puts it back, and it lands again: that is another change.
  await reopen(queue, 1, 'Handle zero.');
  await finish(queue);
  await tell();
  expect(fake.comments).toHaveLength(2);
});

it.each(['task', 'agent', 'feature', 'never'] as const)(
  'with the commit mode %s, issues hear of a done as soon as nothing more can become of it',
  async (commit) => {
    const { fake, queue, tell } = await synced({ commit });
    const finishWith = (made: { commit: string | null; covers: number[] }) =>
      runSession(queue, [done], {
        effects: { ...effectsWith(gateResult(true)), commit: async () => ({ ...work, ...made }) },
      });
    await finishWith({ commit: null, covers: [] });
    await tell();
    // Where a later commit may hold the work, a done without one is not the end.
    const isEnd = commit === 'task' || commit === 'agent';
    expect(fake.comments.map(({ issue }) => issue)).toEqual(isEnd ? [1] : []);
    // One commit holds the work of both.
    await finishWith({ commit: COMMIT, covers: isEnd ? [] : [1] });
    await tell();
    expect(fake.comments.map(({ issue }) => issue).sort()).toEqual([1, 2]);
    if (!isEnd) for (const { body } of fake.comments) expect(body).toContain(`landed in ${COMMIT}.`);
  },
);

it('a question is asked below the issue without a mention, a secret or a folder of the machine', async () => {
  const { fake, queue, tell } = await synced();
  const words =
    '@octo/all: may I write /home/kim/shelf/.env with ghp_0123456789abcdefghijABCDEFGHIJ012345? ```';
  await runSession(queue, [ask(words), partial]);
  await tell();
  const [comment] = fake.comments;
  expect(comment?.body).toMatch(
    /^\*\*Ralph needs a person\*\* for this issue\. It asks Q1:\n\n````text\n@octo\/all/,
  );
  expect(comment?.body).toContain('may I write ./.env with');
  expect(comment?.body).not.toMatch(/kim|ghp_0123/);
  expect(fake.issues[0]?.state).toBeUndefined();
});

it('a task that failed says so once, and a session that only goes on says nothing', async () => {
  const { fake, queue, tell } = await synced();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect(fake.comments).toEqual([]);
    await runSession(queue, [done], { effects: effectsWith(gateResult(false)) });
    await tell();
  }
  expect(fake.comments).toMatchObject([{ body: expect.stringContaining('used up its tries') }]);
});

it('what was answered before GitHub could be reached is no longer asked there', async () => {
  const { fake, queue, tell, later, problems } = await synced();
  await runSession(queue, [ask('Which zone?'), partial]);
  fake.faults = [answer(502, '')];
  await tell();
  await answerQuestion(queue, 1, 'UTC');
  later(60_000);
  await tell();
  expect(fake.comments).toEqual([]);
  expect(problems).toHaveLength(1);
  expect(await openNotifications(queue)).toEqual([]);
});

/** Dies at a request, before or after it has had its effect: nothing after it runs. */
async function dieAt(request: number, isAfter: boolean, { tell }: Synced): Promise<void> {
  let count = 0;
  let die = (): void => {};
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  const fatal: typeof fetch = async (url, options) => {
    if (count++ < request) return fetch(url, options);
    if (isAfter) await (await fetch(url, options)).text();
    die();
    return new Promise(() => {});
  };
  await Promise.race([tell(fatal), dead]);
}

it.each([0, 1, 2, 3].flatMap((request) => [false, true].map((isAfter) => ({ request, isAfter }))))(
  'a run that dies at request $request (after its effect: $isAfter) leaves one comment and a closed issue to the next',
  async ({ request, isAfter }) => {
    const all = await synced();
    await finish(all.queue);
    await dieAt(request, isAfter, all);
    await all.tell();
    // It belongs to the dead run for as long as a try may take.
    const asked = all.fake.asked.length;
    all.later(5 * 60_000);
    await all.tell();
    expect(all.fake.asked.length).toBeGreaterThan(asked);
    expect(all.fake.comments).toHaveLength(1);
    expect(all.fake.issues[0]).toMatchObject({ state: 'closed' });
    expect(await openNotifications(all.queue)).toEqual([]);
  },
);

it('an issue that a person opened again stays open, even if the run died before it knew that it was closed', async () => {
  const all = await synced();
  const [issue] = all.fake.issues;
  if (issue === undefined) throw new Error('no issue');
  await finish(all.queue);
  await dieAt(3, true, all);
  expect(issue.state).toBe('closed');
  setState(all.fake, issue, 'open');
  all.later(5 * 60_000);
  await all.tell();
  expect(issue.state).toBe('open');
  expect(all.fake.comments).toHaveLength(1);
  expect(await openNotifications(all.queue)).toEqual([]);
});

it('an issue that was opened again long ago is closed, also by the run after one that died', async () => {
  const all = await synced();
  all.fake.issues[0] = { number: 1, title: 'One', state: 'open', state_reason: 'reopened' };
  all.fake.events = [{ issue: 1, event: 'reopened', created: '2020-01-01T00:00:00Z' }];
  await finish(all.queue);
  await dieAt(2, true, all);
  all.later(5 * 60_000);
  await all.tell();
  expect(all.fake.issues[0]).toMatchObject({ state: 'closed' });
});

it('a server that is out is asked once for all comments, and gets each of them later', async () => {
  const { fake, queue, problems, tell, later } = await synced();
  await finishBoth(queue);
  fake.faults = [answer(503, '')];
  await tell();
  expect(fake.asked).toHaveLength(1);
  expect(problems[0]).toMatch(
    /^the comment on 127\.0\.0\.1:\d+\/octo\/shelf#1 failed: .* cannot be reached \(it answers 503\)/,
  );
  expect(untoldLines(await openNotifications(queue))).toEqual([
    expect.stringMatching(/^a comment on GitHub was not sent yet: .* \(2 times\)$/),
  ]);
  later(60_000);
  await tell();
  expect(fake.comments.map(({ issue }) => issue)).toEqual([1, 2]);
});

it('a rate limit is waited for by the outbox, and not by the run', async () => {
  const { fake, queue, tell, later } = await synced();
  await finish(queue);
  fake.rate = { left: 0, reset: 3_600 };
  await tell();
  fake.asked = [];
  fake.rate.left = 5_000;
  later(1_800_000);
  await tell();
  expect(fake.asked).toEqual([]);
  later(1_810_000);
  await tell();
  expect(fake.comments).toHaveLength(1);
});

it('a comment whose answer was lost is found by its marker, on any page', async () => {
  const { fake, queue, tell, later } = await synced();
  fake.pageSize = 2;
  fake.comments = [1, 2, 3].map((id) => ({
    id,
    issue: 1,
    body: 'Me too',
    login: 'lee',
    created: '1970-01-01T00:00:00Z',
  }));
  await finish(queue);
  fake.faults = [onRequest(/^POST /, answer(500, ''), true)];
  await tell();
  later(60_000);
  await tell();
  expect(fake.comments.filter(({ login }) => login === 'kim')).toHaveLength(1);
  expect(fake.issues[0]).toMatchObject({ state: 'closed' });
});

it('a repository that moved still hears of its issues, and a deleted issue costs one try', async () => {
  const { fake, queue, tell, problems } = await synced();
  fake.formerly = ['octo/shelf'];
  fake.name = 'kim/books';
  fake.issues = fake.issues.filter(({ number }) => number === 2);
  await finishBoth(queue);
  await tell();
  expect(fake.comments).toMatchObject([{ issue: 2 }]);
  expect({ problems, open: await openNotifications(queue) }).toEqual({ problems: [], open: [] });
});

it('a repository that only a file names gets no request, and a missing token is a sentence', async () => {
  const cloned = await synced({ isImported: false });
  await finish(cloned.queue);
  await cloned.tell();
  expect({ asked: cloned.fake.asked, boards: await importedBoards(cloned.queue) }).toEqual({
    asked: [],
    boards: [],
  });
  const poor = await synced({ token: '' });
  await finish(poor.queue);
  await poor.tell();
  expect(poor.fake.asked).toEqual([]);
  expect(poor.problems[0]).toContain('Ralph has no token for');
});

it('a run comments on the issues that a person imported, and its agent never sees the token', async () => {
  const fake = await fakeGithub([{ number: 7, title: 'Add a shelf' }]);
  const { project, config, git } = await scripted({
    1: [[shell('env > seen.txt; echo shelf > shelf.txt'), finished('Built the shelf.')]],
  });
  const env = { HOME: project.home, PATH: process.env['PATH'], GH_ENTERPRISE_TOKEN: fake.token ?? '' };
  const ralph = (...args: string[]) => runWithin(args, { cwd: project.root, env });
  await config(`github: { api: "${fake.api}", sync: true }\n`);
  await ralph('import', 'github:octo/shelf');
  expect((await ralph('doctor')).stdout).toMatch(/github +127\.0\.0\.1:\d+\/octo\/shelf on/);
  fake.about = { archived: true };
  expect((await ralph('doctor')).stdout).toMatch(/✗ fix {2}github +\S+ is archived, so nobody can comment/);
  fake.about = { permissions: { pull: true, push: false, admin: false } };
  expect((await ralph('doctor')).stdout).toMatch(/✗ fix {2}github +you may not close issues of \S+/);
  fake.about = {};
  fake.faults = [onRequest(/^POST /, answer(503, ''), true)];
  const ran = await ralph('run');
  expect(ran.stdout + ran.stderr).toContain('/octo/shelf#7 failed: ');
  expect(ran.code).toBe(0);
  expect((await ralph('status')).stdout).toMatch(
    /✉ a comment on GitHub was not sent yet: .* {3}ralph notify send/,
  );
  expect((await ralph('doctor')).stdout).toMatch(/✗ fix {2}github +a comment on GitHub was not sent yet/);
  expect((await ralph('notify', 'send')).stdout).toBe('Nothing waits to be told any more.\n');
  expect(fake.comments).toMatchObject([
    { issue: 7, body: expect.stringContaining(git('rev-parse', 'HEAD').trim()) },
  ]);
  expect(fake.issues[0]).toMatchObject({ state: 'closed' });
  expect(git('show', 'HEAD:seen.txt')).not.toContain('a-token-of-nobody');
});

it('a clone that asks for comments gets none before a person trusts it', async () => {
  const fake = await fakeGithub([{ number: 7, title: 'Add a shelf' }]);
  const { project } = await scripted({});
  writeFileSync(join(project.root, '.ralph/config.yaml'), `github: { api: "${fake.api}", sync: true }\n`);
  expect(await project.within('notify', 'send')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ralph trust'),
  });
  expect((await project.within('trust', '--yes')).stdout).toContain(
    `issues that tasks came from get comments and are closed at ${fake.api}, with your token`,
  );
  expect(fake.asked).toEqual([]);
});

it('an issue hears nothing while its pull request is open, and is commented on and closed by its merge', async () => {
  const { fake, queue, tell } = await synced();
  const proposal = { branch: 'ralph/task-1-one', base: 'main', head: 'a', feature: null };
  const effects = { ...effectsWith(gateResult(true)), commit: async () => ({ ...NO_WORK, proposal }) };
  await runSession(queue, [done], { effects });
  const [pull] = await takePulls(queue, { isAll: true });
  if (pull === undefined) throw new Error('there is no pull request');
  await recordOpened(queue, pull, { number: 7, url: 'https://x/7' });
  await tell();
  expect(fake.asked).toEqual([]);
  await settleMerged(queue, pull, { commit: COMMIT, late: [], dropped: [], verify: false });
  await tell();
  expect(fake.comments).toMatchObject([{ issue: 1, body: expect.stringContaining(COMMIT) }]);
  expect(fake.issues[0]).toMatchObject({ state: 'closed' });
});
