import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { GateStopped } from '../../../src/host/gates/gates.ts';
import { fetchTaskWork, sharedRef } from '../../../src/host/landing/shared-work.ts';
import { advanceTrunk } from '../../../src/host/landing/trunk.ts';
import type { Remote } from '../../../src/host/remote/remote.ts';
import { RemoteFailed, Undecided } from '../../../src/host/remote/remote-failure.ts';
import { removeSlot } from '../../../src/host/slots/fill-slot.ts';
import { expectProven, type Lander, type LanderOptions, lander, taskCommits } from '../../support/landing.ts';
import { runNow } from '../../support/run-now.ts';
import { meetingPlace, type TestRepository, writeIn } from '../../support/slots.ts';

const ORIGIN: Remote = { name: 'origin', refs: 'refs/ralph/', patienceMs: 0 };

const shared = (repository: TestRepository, options: LanderOptions = {}): Promise<Lander> =>
  lander(repository, { remote: ORIGIN, ...options });

const at = (bare: string, ...args: string[]): string =>
  runNow('git', args, { cwd: bare, env: { PATH: process.env['PATH'] } }).trim();

const refsOf = (bare: string): string[] =>
  at(bare, 'for-each-ref', '--format=%(refname)', 'refs/ralph', 'refs/heads').split('\n');

/** A hook of the remote, as a shell script. */
function hook(bare: string, name: string, script: string): void {
  const file = join(bare, 'hooks', name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** A git that does what the script says when it pushes to the trunk, and is git otherwise. */
function gitThat(repository: TestRepository, script: string): TestRepository {
  const folder = join(repository.folder, 'bin');
  mkdirSync(folder, { recursive: true });
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const file = join(folder, 'git');
  writeFileSync(
    file,
    `#!/bin/sh\nGIT=${real}\ncase "$*" in *" push "*refs/heads/main*) ${script};; esac\nexec $GIT "$@"\n`,
  );
  chmodSync(file, 0o755);
  const env = { ...repository.place.env, PATH: `${folder}:${repository.place.env['PATH']}` };
  const place = { ...repository.place, env };
  return { ...repository, place, slots: { ...repository.slots, repository: place } };
}

async function worked(one: Lander, task_id: number, file: string, text: string) {
  const session = await one.start(task_id);
  writeIn(session.slot, file, text);
  return session;
}

describe('a landing on a remote', () => {
  it('a landing on a remote is a push, and the checkout follows; the work was there before any gate ran', async () => {
    const { bare, first } = await meetingPlace();
    let published: string[] = [];
    const one = await shared(first, { onGate: () => (published = refsOf(bare)) });
    const session = await worked(one, 1, 'src/app.js', 'two\n');
    const { work } = await one.land(session);
    expect(published).toContain(`refs/ralph/work/${session.claim.session.id}`);
    expect(at(bare, 'rev-parse', 'main')).toBe(work?.commit);
    expect(first.read('src/app.js')).toBe('two\n');
    expect(first.git('rev-parse', 'origin/main')).toBe(work?.commit);
    expectProven(one);
    await one.verifier.discard({ ...session.claim });
    expect(existsSync(join(first.place.stateDir, 'scratch'))).toBe(true);
    expect(readdirSync(join(first.place.stateDir, 'scratch'))).toEqual([]);
  });

  it('the setup of a slot for gates runs once, though each landing is judged on another tree', async () => {
    const { first } = await meetingPlace();
    const log = join(first.folder, 'setups');
    const one = await shared(first, { slots: { setup: `echo setup >> ${log}` } });
    for (const task_id of [1, 2, 3]) await one.land(await worked(one, task_id, `${task_id}.txt`, 'new\n'));
    expect(taskCommits(one)).toHaveLength(3);
    expect(readFileSync(log, 'utf8')).toBe('setup\n');
  });

  it('two machines land at once, each on what the other landed', async () => {
    const { bare, first, second } = await meetingPlace();
    const [one, other] = [await shared(first), await shared(second)];
    const [mine, theirs] = [
      await worked(one, 1, 'src/app.js', 'two\n'),
      await worked(other, 2, 'lib/tool.js', 'better\n'),
    ];
    await Promise.all([one.land(mine), other.land(theirs)]);
    await advanceTrunk(first.place, one.trunk);
    expect(taskCommits(one)).toHaveLength(2);
    expect(at(bare, 'show', 'main:src/app.js')).toBe('two');
    expect(at(bare, 'show', 'main:lib/tool.js')).toBe('better');
    const seen = new Set([...one.seen(), ...other.seen()]);
    expect(taskCommits(one).filter(({ tree }) => !seen.has(tree))).toEqual([]);
  });

  it("commits that a person has not pushed are in no session's way, and in no landing", async () => {
    const { bare, first } = await meetingPlace();
    first.write('mine.txt', 'mine\n');
    first.commit('Mine');
    const one = await shared(first);
    const { work } = await one.land(await worked(one, 1, 'src/app.js', 'two\n'));
    expect(work?.commit).toBe(at(bare, 'rev-parse', 'main'));
    expect(at(bare, 'ls-tree', '--name-only', 'main')).not.toContain('mine.txt');
    expect(one.following).toMatchObject([
      { kind: 'waits', reason: expect.stringContaining('git push origin main') },
    ]);
    expect(first.read('mine.txt')).toBe('mine\n');
  });

  it('a branch that was rewritten on the remote takes the work, and nothing of the old branch comes back', async () => {
    const { bare, first, second } = await meetingPlace();
    second.write('wrong.txt', 'wrong\n');
    second.commit('Wrong');
    second.git('push', '-q', 'origin', 'main');
    const one = await shared(first);
    const session = await worked(one, 1, 'src/app.js', 'two\n');
    second.git('reset', '-q', '--hard', 'HEAD^');
    second.git('push', '-qf', 'origin', 'main');
    const { work } = await one.land(session);
    expect(at(bare, 'rev-parse', 'main')).toBe(work?.commit);
    expect(at(bare, 'ls-tree', '--name-only', 'main')).not.toContain('wrong.txt');
  });
});

describe('a push whose answer was lost', () => {
  const DIES_AFTER = '$GIT "$@" >/dev/null 2>&1; kill -9 $$';
  const DIES_BEFORE = 'kill -9 $$';

  it('a push whose answer was lost has landed if the remote has it', async () => {
    const { bare, first } = await meetingPlace();
    const one = await shared(gitThat(first, DIES_AFTER));
    const { work } = await one.land(await worked(one, 1, 'src/app.js', 'two\n'));
    expect(work?.commit).toBe(at(bare, 'rev-parse', 'main'));
    expect(taskCommits(one)).toHaveLength(1);
  });

  it('a push whose answer was lost is no landing if the remote does not have it', async () => {
    const { bare, first } = await meetingPlace();
    const before = at(bare, 'rev-parse', 'main');
    const one = await shared(gitThat(first, DIES_BEFORE));
    await expect(one.land(await worked(one, 1, 'src/app.js', 'two\n'))).rejects.toBeInstanceOf(RemoteFailed);
    expect(at(bare, 'rev-parse', 'main')).toBe(before);
  });

  it('a push whose answer was lost stays undecided while the remote is down, and the next run finds it by its trailer', async () => {
    const { bare, first } = await meetingPlace();
    const gone = `${DIES_AFTER.replace('kill', `mv ${bare} ${bare}.away; kill`)}`;
    const one = await shared(gitThat(first, gone));
    const session = await worked(one, 1, 'src/app.js', 'two\n');
    await expect(one.land(session)).rejects.toBeInstanceOf(Undecided);
    const next = await shared(first, { isRecovery: true });
    await expect(next.verifier.landedCommit(session.claim)).rejects.toBeInstanceOf(Undecided);
    renameSync(`${bare}.away`, bare);
    expect(await next.verifier.landedCommit(session.claim)).toBe(at(bare, 'rev-parse', 'main'));
  });

  it('a stalled push ends with the second Ctrl-C of a person, and the next run looks whether it arrived', async () => {
    const { bare, first } = await meetingPlace();
    const stalls = join(first.folder, 'stalls');
    const stop = new AbortController();
    const remote = { ...ORIGIN, patienceMs: 600_000, stop: stop.signal };
    // The push has arrived, and its answer never comes.
    const script = `$GIT "$@" > /dev/null; touch ${stalls}; sleep 600`;
    const one = await shared(gitThat(first, script), { remote });
    const session = await worked(one, 1, 'src/app.js', 'two\n');
    const landing = one.land(session).catch((error: unknown) => error);
    await expect.poll(() => existsSync(stalls)).toBe(true);
    stop.abort();
    // Or Ralph has seen in time that it arrived.
    expect([GateStopped, Object]).toContain((await landing)?.constructor);
    const next = await shared(first, { isRecovery: true });
    expect(await next.verifier.landedCommit(session.claim)).toBe(at(bare, 'rev-parse', 'main'));
    expect(taskCommits(next)).toHaveLength(1);
  });

  it('a push whose answer was lost is tried again while the patience lasts', async () => {
    const { bare, first } = await meetingPlace();
    const once = join(first.folder, 'once');
    const outages: string[] = [];
    const remote = { ...ORIGIN, patienceMs: 60_000, onOutage: (reason: string) => outages.push(reason) };
    const script = `if [ ! -e ${once} ]; then : > ${once}; echo "fatal: Connection refused" >&2; exit 128; fi`;
    const one = await shared(gitThat(first, script), { remote });
    const { work } = await one.land(await worked(one, 1, 'src/app.js', 'two\n'));
    expect(work?.commit).toBe(at(bare, 'rev-parse', 'main'));
    expect(outages).toEqual([expect.stringContaining('The remote origin cannot be reached')]);
  });
});

describe('a remote that does not take the work', () => {
  const FAULTS: [string, (bare: string) => void, RegExp][] = [
    [
      'refuses the branch',
      (bare) => hook(bare, 'update', '[ "$1" != refs/heads/main ] || { echo "No entry." >&2; exit 1; }'),
      /refuses refs\/heads\/main \(remote: No entry\./,
    ],
    [
      'declines everything',
      (bare) => hook(bare, 'pre-receive', 'exit 1'),
      /pre-receive hook declined.*land:/,
    ],
    [
      'refuses foreign refs',
      (bare) => at(bare, 'config', 'receive.hideRefs', 'refs/ralph'),
      /set refs: refs\/heads\/ralph\/ below land:/,
    ],
    [
      'lost the branch',
      (bare) => at(bare, 'update-ref', '-d', 'refs/heads/main'),
      /has no branch main; push it/,
    ],
    ['is gone', (bare) => renameSync(bare, `${bare}.away`), /leads to no repository/],
    [
      'is full',
      (bare) => hook(bare, 'pre-receive', 'echo "error: No space left on device" >&2; exit 1'),
      /cannot store the work/,
    ],
  ];

  it.each(FAULTS)('one that %s lands nothing, says so, and loses nothing', async (_, fault, sentence) => {
    const { bare, first } = await meetingPlace();
    const one = await shared(first);
    const session = await worked(one, 1, 'src/app.js', 'two\n');
    const before = at(bare, 'rev-parse', 'main');
    fault(bare);
    const error = await one.land(session).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MachineFailed);
    expect(error).toMatchObject({ message: expect.stringMatching(sentence) });
    await one.verifier.saveUnfinished(session.claim);
    expect(first.git('show', 'refs/ralph/task-1:src/app.js')).toBe('two');
    if (existsSync(bare) && refsOf(bare).includes('refs/heads/main'))
      expect(at(bare, 'rev-parse', 'main')).toBe(before);
  });

  it('a remote that refuses other refs takes branches where land.refs names them', async () => {
    const { bare, first } = await meetingPlace();
    at(bare, 'config', 'receive.hideRefs', 'refs/ralph');
    const one = await shared(first, { remote: { ...ORIGIN, refs: 'refs/heads/ralph/' } });
    const session = await worked(one, 1, 'src/app.js', 'two\n');
    await one.land(session);
    expect(refsOf(bare)).toContain(`refs/heads/ralph/work/${session.claim.session.id}`);
    expect(taskCommits(one)).toHaveLength(1);
  });
});

describe('work of another machine', () => {
  it('a session that died after its work was published is landed elsewhere', async () => {
    const { bare, first, second } = await meetingPlace();
    const stopped = await shared(first, { gate: 'exit 1' });
    const session = await worked(stopped, 1, 'src/app.js', 'two\n');
    await stopped.land(session);
    // All that is left of the first machine is what the remote has.
    await removeSlot(session.slot);
    const other = await shared(second, { isRecovery: true });
    const { work } = await other.land({ ...session, slot: { ...session.slot, folder: second.folder } });
    expect(at(bare, 'rev-parse', 'main')).toBe(work?.commit);
    expect(at(bare, 'show', 'main:src/app.js')).toBe('two');
  });

  it('unfinished work goes where the task is claimed next, and nothing of it stays behind', async () => {
    const { bare, first, second } = await meetingPlace();
    const [one, other] = [await shared(first), await shared(second)];
    const session = await worked(one, 7, 'src/app.js', 'half\n');
    await one.verifier.saveUnfinished(session.claim);
    await fetchTaskWork(second.place, other.trunk, 7);
    expect(second.git('show', 'refs/ralph/task-7:src/app.js')).toBe('half');
    await other.verifier.discard(session.claim);
    expect(refsOf(bare)).toEqual(['refs/heads/main']);
    await fetchTaskWork(first.place, one.trunk, 7);
    expect(first.git('for-each-ref', 'refs/ralph/task-7', sharedRef(7))).toBe('');
  });

  it('unfinished work that the remote never got stays on its machine', async () => {
    const { bare, first } = await meetingPlace();
    const one = await shared(first);
    const session = await worked(one, 7, 'src/app.js', 'half\n');
    hook(bare, 'pre-receive', 'exit 1');
    await one.verifier.saveUnfinished(session.claim);
    expect(one.unshared).toEqual([expect.stringContaining('on this machine only')]);
    await fetchTaskWork(first.place, one.trunk, 7);
    expect(first.git('show', 'refs/ralph/task-7:src/app.js')).toBe('half');
  });
});

describe('what the repository brings along', () => {
  it('neither hooks nor settings of the repository run at a push, and no address that executes is used', async () => {
    const { bare, first } = await meetingPlace();
    const mark = join(first.folder, 'ran');
    hook(join(first.top, '.git'), 'pre-push', `touch ${mark}; exit 1`);
    hook(join(first.top, '.git'), 'reference-transaction', `touch ${mark}`);
    for (const [key, value] of [
      ['core.sshCommand', `touch ${mark}`],
      ['credential.helper', `!touch ${mark}`],
      ['remote.origin.receivepack', `touch ${mark}; git-receive-pack`],
      ['remote.origin.uploadpack', `touch ${mark}; git-upload-pack`],
      [`url.ext::sh -c "touch ${mark}" #.insteadOf`, bare],
      ['core.gitProxy', `touch ${mark}`],
    ] as const)
      first.git('config', key, value);
    const one = await shared(first);
    const { work } = await one.land(await worked(one, 1, 'src/app.js', 'two\n'));
    expect(at(bare, 'rev-parse', 'main')).toBe(work?.commit);
    expect(existsSync(mark)).toBe(false);
  });

  it('an address that an agent wrote during the run is not used', async () => {
    const { bare, first } = await meetingPlace();
    const one = await shared(first);
    const session = await worked(one, 1, 'src/app.js', 'two\n');
    first.git('config', 'remote.origin.url', `ext::sh -c "touch ${first.folder}/ran"`);
    const { work } = await one.land(session);
    expect(at(bare, 'rev-parse', 'main')).toBe(work?.commit);
    rmSync(bare, { recursive: true });
    expect(existsSync(join(first.folder, 'ran'))).toBe(false);
  });
});
