import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/domain/config.ts';
import type { KnownGate } from '../../../src/domain/sessions/gate.ts';
import { GateStopped } from '../../../src/host/gates/gates.ts';
import { openTrain } from '../../../src/host/landing/train.ts';
import {
  DONE,
  expectProven,
  type Lander,
  type LanderOptions,
  type LandingSession,
  newLander,
  taskCommits,
} from '../../support/landing.ts';
import { writeIn } from '../../support/slots.ts';

const LAND: Config['land'] = {
  target: 'branch' as const,
  per: 'task' as const,
  branch: null,
  remote: null,
  refs: 'refs/ralph/',
  update_checkout: true,
  speculate: true,
  regenerate: [],
};

/** In a gate: its home is the folder of the test. */
const BEGAN = '"$HOME/second-began"';
const AWAITS_SECOND = `until [ -e ${BEGAN} ]; do sleep 0.05; done`;
const HANGS = 'while :; do sleep 0.05; done';

/** A gate that does one thing on the tree of the first, and another where the work of the second is in the tree. */
const gateOf = (first: string, second: string): string =>
  `if [ -e second.txt ]; then touch ${BEGAN}; ${second}; else ${AWAITS_SECOND}; ${first}; fi`;

type Two = { one: Lander; first: LandingSession; second: LandingSession };

async function twoSessions(options: LanderOptions): Promise<Two> {
  const one = await newLander({ config: { land: LAND }, ...options });
  const [first, second] = [await one.start(1), await one.start(2)];
  writeIn(first.slot, 'first.txt', '1\n');
  writeIn(second.slot, 'second.txt', '2\n');
  return { one, first, second };
}

/** The second says done when the first has its place in the train. */
async function landBoth({ one, first, second }: Two) {
  const landing = one.land(first);
  await expect.poll(one.seen).toHaveLength(1);
  return Promise.all([landing, one.land(second)]);
}

describe('the gates of a session that waits for its turn', () => {
  it('they run while the first is judged, and not again where it landed as predicted', async () => {
    const two = await twoSessions({ gate: gateOf('true', 'true') });
    const [first, second] = await landBoth(two);
    expect([first.work?.commit, second.work?.commit].every(Boolean)).toBe(true);
    expect(two.one.seen()).toHaveLength(2);
    expect(taskCommits(two.one)).toHaveLength(2);
    expectProven(two.one);
  });

  it('they leave a slot free for the session whose turn it is', async () => {
    const gate = 'echo "$RALPH_SLOT" >> "$HOME/slots-used"';
    const one = await newLander({ config: { land: LAND }, gate });
    const session = await one.start(1);
    writeIn(session.slot, 'second.txt', '2\n');
    // It has its turn, and no slot yet.
    await one.train.enter('another', 9);
    one.train.expect('another', one.tip());
    const landing = one.land(session);
    const used = (): string | null => one.repository.read('../slots-used');
    await expect.poll(used).toBe('91\n');
    one.train.leave('another');
    expect((await landing).work?.commit).toBe(one.tip());
    expect(used()).toBe('91\n');
  });

  it('they are ended where the first does not land, and run again on the tree that is to land', async () => {
    const two = await twoSessions({ gate: gateOf('false', `[ ! -e first.txt ] || ${HANGS}`) });
    const [first, second] = await landBoth(two);
    expect([first.work, second.work?.commit]).toEqual([null, two.one.tip()]);
    // The first, what was predicted, and what landed.
    expect(new Set(two.one.seen()).size).toBe(3);
    expect(two.one.repository.git('ls-tree', '--name-only', two.one.tip())).not.toContain('first.txt');
    expectProven(two.one);
  });

  it('a gate that a person accepted as red keeps no waiting session from landing', async () => {
    const known = new Map<string, readonly KnownGate[]>();
    const two = await twoSessions({
      gate: gateOf('false', 'false'),
      accepted: ['test'],
      knownGates: async (tree) => known.get(tree) ?? [],
    });
    const { one, first, second } = two;
    one.ground.onResults = (tree, results) =>
      known.set(
        tree,
        results.map((result) => ({ ...result, session_id: '', baseline: true })),
      );
    const judging = one.verifier.runGates(first.claim, DONE);
    await expect.poll(one.seen).toHaveLength(1);
    const waiting = one.verifier.runGates(second.claim, DONE);
    await one.verifier.commit(first.claim, DONE, await judging);
    one.verifier.leave(first.claim.session.id);
    expect(await waiting).toMatchObject([{ name: 'test', passed: false, required: false, was_red: true }]);
    expect(one.seen()).toHaveLength(2);
  });

  it('a person who ends everything also ends gates that a session whose turn has come waits for', async () => {
    const stop = new AbortController();
    const two = await twoSessions({ gate: gateOf('true', HANGS), stop: stop.signal });
    const { one, first, second } = two;
    const landing = one.land(first);
    await expect.poll(one.seen).toHaveLength(1);
    const waiting = one.verifier.runGates(second.claim, DONE).catch((error: unknown) => error);
    expect((await landing).work?.commit).toBe(one.tip());
    expect(one.train.behind(second.claim.session.id)).toEqual([]);
    stop.abort();
    expect(await waiting).toBeInstanceOf(GateStopped);
    expect(taskCommits(one)).toHaveLength(1);
  });
});

describe('the train', () => {
  /** Which sessions have had their turn so far. */
  function watched() {
    const train = openTrain();
    const turns: string[] = [];
    const enter = (id: string, task: number): Promise<void> =>
      train.enter(id, task).then(() => void turns.push(id));
    return { train, turns, enter };
  }
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('sessions have their turn in the order in which they entered', async () => {
    const { train, turns, enter } = watched();
    for (const [nth, id] of ['a', 'b', 'c'].entries()) void enter(id, nth + 1);
    await settled();
    expect([turns, train.behind('a'), train.behind('c')]).toEqual([['a'], [], [1, 2]]);
    train.leave('a');
    await settled();
    expect([turns, train.behind('c')]).toEqual([['a', 'b'], [2]]);
    train.leave('b');
    await settled();
    expect(turns).toEqual(['a', 'b', 'c']);
  });

  it('a session that leaves from the middle gives nobody a turn too early, and never gets its own', async () => {
    const { train, turns, enter } = watched();
    for (const [nth, id] of ['a', 'b', 'c'].entries()) void enter(id, nth + 1);
    train.leave('b');
    await settled();
    expect([turns, train.behind('c')]).toEqual([['a'], [1]]);
    train.leave('a');
    await settled();
    expect(turns).toEqual(['a', 'c']);
    train.leave('nobody');
    expect(train.behind('c')).toEqual([]);
  });

  it('a session that enters again keeps its place, and each of its calls gets the turn', async () => {
    const { train, turns, enter } = watched();
    for (const id of ['a', 'b', 'c', 'b', 'a']) void enter(id, 1);
    train.leave('a');
    await settled();
    expect(turns).toEqual(['a', 'a', 'b', 'b']);
    expect(train.behind('c')).toHaveLength(1);
  });

  it('what a session expects is known to the one behind it, also if that one asked first', async () => {
    const { train, enter } = watched();
    for (const id of ['a', 'b', 'c']) void enter(id, 1);
    const asked = train.expectedBefore('b');
    train.expect('a', 'commit-a');
    expect([await asked, await train.expectedBefore('b')]).toEqual(['commit-a', 'commit-a']);
    expect(await train.expectedBefore('a')).toBeNull();
  });

  it('a session that leaves without an expectation lets the one behind it expect nothing', async () => {
    const { train, enter } = watched();
    for (const id of ['a', 'b']) void enter(id, 1);
    const asked = train.expectedBefore('b');
    train.leave('a');
    expect(await asked).toBeNull();
  });

  it('what a session knows in its turn replaces what it predicted, for those who enter later', async () => {
    const { train, enter } = watched();
    void enter('a', 1);
    train.expect('a', 'predicted');
    train.expect('a', 'known');
    void enter('b', 2);
    expect(await train.expectedBefore('b')).toBe('known');
  });
});
