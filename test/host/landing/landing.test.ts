import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { NotLanded } from '../../../src/domain/sessions/landing.ts';
import { landCommit } from '../../../src/host/landing/land-commit.ts';
import { readRef } from '../../../src/host/landing/trunk.ts';
import { readSessionWork } from '../../../src/host/landing/work-refs.ts';
import { removeSlot } from '../../../src/host/slots/fill-slot.ts';
import { DONE, expectProven, lander, newLander, taskCommits } from '../../support/landing.ts';
import { slotRepository, writeIn } from '../../support/slots.ts';

describe('work that is done', () => {
  it('work on an unmoved tip lands with the tree that its gate saw, and the checkout follows', async () => {
    const one = await newLander();
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    const { work } = await one.land(session);
    expect(work?.commit).toBe(one.tip());
    expect(work?.diff_stat).toEqual({ files: 1, insertions: 1, deletions: 1 });
    expect(one.seen()).toEqual([one.repository.git('rev-parse', 'HEAD^{tree}')]);
    expect(one.following).toMatchObject([{ kind: 'followed' }]);
    expect(one.repository.read('src/app.js')).toBe('two\n');
    expect(one.repository.git('log', '-1', '--format=%s%n%an')).toBe('Task 1\nA');
  });

  it('the commit that lands is the one that the gates had as HEAD', async () => {
    const one = await newLander({ gate: 'git rev-parse HEAD > "$HOME/head"' });
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    const { work } = await one.land(session);
    expect(readFileSync(join(one.repository.folder, 'head'), 'utf8').trim()).toBe(work?.commit);
  });

  it('work on a moved tip is merged, and the merge is judged', async () => {
    const one = await newLander();
    const [first, second] = [await one.start(1), await one.start(2)];
    writeIn(first.slot, 'src/app.js', 'two\n');
    writeIn(second.slot, 'lib/tool.js', 'better\n');
    await Promise.all([one.land(first), one.land(second)]);
    expect(taskCommits(one)).toHaveLength(2);
    expect([one.repository.read('src/app.js'), one.repository.read('lib/tool.js')]).toEqual([
      'two\n',
      'better\n',
    ]);
    expect(one.seen()).toHaveLength(2);
    expectProven(one);
  });

  it('a conflict lands nothing, names the file and whose commit it was, and keeps the work', async () => {
    const one = await newLander();
    const [first, second] = [await one.start(1), await one.start(2)];
    writeIn(first.slot, 'src/app.js', 'two\n');
    writeIn(second.slot, 'src/app.js', 'three\n');
    await one.land(first);
    const failed = await one.land(second).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(NotLanded);
    expect(failed).toMatchObject({
      problem: {
        kind: 'conflict',
        paths: ['src/app.js'],
        onto: one.tip(),
        others: [{ subject: 'Task 1', paths: ['src/app.js'] }],
      },
    });
    await one.verifier.saveUnfinished(second.claim);
    expect(one.repository.git('show', 'refs/ralph/task-2:src/app.js')).toBe('three');
    expect(taskCommits(one)).toHaveLength(1);
  });

  it('work that is green alone and red on the merge does not land', async () => {
    const one = await newLander({ gate: '! { grep -q two src/app.js && grep -q better lib/tool.js; }' });
    const [first, second] = [await one.start(1), await one.start(2)];
    writeIn(first.slot, 'src/app.js', 'two\n');
    writeIn(second.slot, 'lib/tool.js', 'better\n');
    await one.land(first);
    await expect(one.land(second)).rejects.toMatchObject({
      problem: { kind: 'red', others: [{ subject: 'Task 1' }] },
    });
    expect(taskCommits(one)).toHaveLength(1);
    expectProven(one);
  });

  it('conflict markers that are left are a failed gate', async () => {
    const one = await newLander();
    const session = await one.start(1);
    const hash = one.tip();
    writeIn(session.slot, 'src/app.js', `<<<<<<< ${hash}\none\n=======\ntwo\n>>>>>>> ${hash}\n`);
    expect(await one.land(session)).toMatchObject({
      gates: [{ name: 'conflict markers', passed: false }],
      work: null,
    });
    expect(one.seen()).toEqual([]);
  });

  it('work that breaks the setup of slots is refuted as by a gate, and the work of others lands', async () => {
    const one = await newLander({ slots: { setup: 'grep one src/app.js || { cat $PWD/none; false; }' } });
    const [first, second] = [await one.start(1), await one.start(2)];
    writeIn(first.slot, 'src/app.js', 'two\n');
    const { gates, work } = await one.land(first);
    expect(work).toBeNull();
    expect(gates).toMatchObject([{ name: 'slots.setup', required: true, passed: false, log: null }]);
    // What failed comes first, and the agent finds its files in another folder.
    expect(gates[0]?.tail).toMatch(/^cat: none: .*\n\(Ralph runs this setup before the gates.*\)$/);
    expect(one.seen()).toEqual([]);
    writeIn(second.slot, 'lib/tool.js', 'better\n');
    expect((await one.land(second)).work?.commit).toBe(one.tip());
  });

  it('a setup that fails with work and without it refutes nothing', async () => {
    const one = await newLander({ slots: { setup: 'false' } });
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    await expect(one.land(session)).rejects.toThrow(MachineFailed);
  });

  it('a branch of a pull request that breaks the setup is red before a session on it begins', async () => {
    const one = await newLander({ slots: { setup: 'grep one src/app.js' } });
    const { claim } = await one.start(1);
    one.repository.write('src/app.js', 'two\n');
    const session = { ...claim.session, base_commit: one.repository.commit('Broken') };
    expect(await one.verifier.runBaseline({ ...claim, session })).toMatchObject({
      ran: [{ name: 'slots.setup', passed: false }],
    });
  });

  it('the work is in a ref before the first gate runs', async () => {
    const one = await newLander();
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    let atGate: unknown = null;
    const other = await lander(one.repository, {
      onGate: () => {
        atGate = one.repository.git('for-each-ref', '--format=%(refname)', 'refs/ralph/work');
      },
    });
    await other.land(session);
    expect(atGate).toBe(`refs/ralph/work/${session.claim.session.id}`);
  });

  it('a landing goes on from the work ref after a crash, with or without the slot', async () => {
    const one = await newLander();
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    await one.verifier.isUnchanged(session.claim);
    await removeSlot(session.slot);
    const next = await lander(one.repository);
    expect((await next.land(session)).work?.commit).toBe(one.tip());
    expect(one.repository.git('show', 'ralph/main:src/app.js')).toBe('two');
  });

  it('work whose supervisor was killed between ref and settle is found by its trailer, and lands once', async () => {
    const one = await newLander();
    const [session, later] = [await one.start(1), await one.start(2)];
    writeIn(session.slot, 'src/app.js', 'two\n');
    const { work } = await one.land(session);
    writeIn(later.slot, 'lib/tool.js', 'better\n');
    await one.land(later);
    const next = await lander(one.repository, { isRecovery: true });
    expect(await next.verifier.landedCommit(session.claim)).toBe(work?.commit);
    expect(await next.verifier.isUnchanged(session.claim)).toBe(false);
    expect((await next.land(session)).work?.commit).toBe(work?.commit);
    expect(taskCommits(one)).toHaveLength(2);
    // The next supervisor did not see the gates pass, so they judge what has landed.
    expect(one.seen()).toHaveLength(3);
  });

  it('a summary or a commit of another session cannot pass for the trailer', async () => {
    const one = await newLander();
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    const { id } = session.claim.session;
    one.repository.write('mine.txt', 'x\n');
    one.repository.commit(`About Ralph-Session: ${id}\n\nRalph-Session: ${id}0`);
    const next = await lander(one.repository, { isRecovery: true });
    expect(await next.verifier.landedCommit(session.claim)).toBeNull();
  });

  it("a commit with Ralph's trailer that the agent wrote does not pass for the work", async () => {
    const one = await newLander();
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    one.repository.write('mine.txt', 'x\n');
    const forged = one.repository.commit(`Task 1\n\nRalph-Session: ${session.claim.session.id}`);
    const { work } = await one.land(session);
    expect(work?.commit).not.toBe(forged);
    expect(one.repository.git('show', `${work?.commit}:src/app.js`)).toBe('two');
  });

  it("after a crash, a commit with Ralph's trailer is checked like work that is to land, and a reviewer reads that commit", async () => {
    const one = await newLander();
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    await one.verifier.isUnchanged(session.claim);
    const { repository } = one;
    const forge = (text: string): string => {
      repository.git('checkout', '-q', 'ralph/main');
      repository.write('src/app.js', text);
      return repository.commit(`Task 1\n\nRalph-Session: ${session.claim.session.id}`);
    };
    const next = await lander(repository, { isRecovery: true });
    const harmless = forge('three\n');
    await next.verifier.runGates(session.claim, DONE);
    const read = await readSessionWork(repository.place, session.claim.session.id);
    expect(read?.tree).toBe(repository.git('rev-parse', `${harmless}^{tree}`));
    forge(`key: ${['AKIA', 'Z7QX', 'M4WP', 'T2KD', 'R6VN'].join('')}\n`);
    await expect(next.verifier.runGates(session.claim, DONE)).rejects.toThrow('looks like a secret');
  });

  it('a landing that lost against another process is judged again on the new tip', async () => {
    const repository = await slotRepository();
    const other = await lander(repository);
    const [mine, theirs] = [await other.start(1), await other.start(2)];
    writeIn(mine.slot, 'src/app.js', 'two\n');
    writeIn(theirs.slot, 'lib/tool.js', 'better\n');
    const one = await lander(repository);
    const gates = await one.verifier.runGates(mine.claim, DONE);
    await other.land(theirs);
    const work = await one.verifier.commit(mine.claim, DONE, gates);
    expect(repository.git('rev-parse', `${work.commit}^`)).toBe(taskCommits(other)[1]?.commit);
    expect([repository.read('src/app.js'), repository.read('lib/tool.js')]).toEqual(['two\n', 'better\n']);
    expect(one.seen()).toHaveLength(3);
    expectProven(one);
  });

  it('a commit lands only on the tip that it was judged on', async () => {
    const one = await newLander();
    const session = await one.start(1);
    const tip = one.tip();
    writeIn(session.slot, 'src/app.js', 'two\n');
    await one.land(session);
    const input = { tip, tree: `${tip}^{tree}`, message: 'Late\n', signing: null, onUnsigned: () => {} };
    expect(await landCommit(one.repository.place, one.trunk, input)).toBeNull();
    expect(taskCommits(one)).toHaveLength(1);
  });

  it.each([
    ['at the top of its repository', ''],
    ['in a folder of its repository', 'src/'],
  ])(
    'in a project %s, a file that a command makes is made anew instead of being a conflict',
    async (_, folder) => {
      const repository = await slotRepository({ below: folder });
      repository.write(`${folder}list.lock`, 'app\n');
      repository.write('other/list.lock', 'other\n');
      repository.commit('Lock');
      const gc = `git -C ${repository.top} gc -q --prune=now`;
      const regenerate = [
        {
          files: ['list.lock'],
          // A gc of the person meanwhile runs, and removes nothing that is needed.
          command: `${gc} && git cat-file -e HEAD && ls ${folder === '' ? 'src' : '.'} | grep js | sed s/.js// > list.lock`,
        },
      ];
      const base = await lander(repository);
      const sessions = [await base.start(1), await base.start(2), await base.start(3)];
      for (const [nth, { slot }] of sessions.entries()) {
        const name = ['b', 'c', 'd'][nth];
        writeIn(slot, `src/${name}.js`, '\n');
        writeIn(slot, `${folder}list.lock`, `app\n${name}\n`);
        // Outside of what the patterns name.
        if (nth !== 1) writeIn(slot, 'other/list.lock', `${name}\n`);
      }
      const [first, second, third] = sessions;
      if (first === undefined || second === undefined || third === undefined)
        throw new Error('There are three.');
      const land = {
        target: 'branch' as const,
        per: 'task' as const,
        branch: null,
        remote: null,
        refs: '',
        update_checkout: true,
        speculate: false,
        regenerate,
      };
      const one = await lander(repository, { config: { land } });
      await one.land(first);
      await one.land(second);
      expect(repository.git('show', `ralph/main:${folder}list.lock`)).toBe('app\nb\nc');
      await expect(one.land(third)).rejects.toBeInstanceOf(NotLanded);
      expectProven(one);
    },
  );

  it('a project in a folder of its repository lands its work', async () => {
    const one = await lander(await slotRepository({ below: 'lib' }));
    const session = await one.start(1);
    expect(session.slot.root).toBe(join(session.slot.tree, 'lib'));
    writeIn(session.slot, 'lib/tool.js', 'better\n');
    await one.land(session);
    expect(one.repository.read('lib/tool.js')).toBe('better\n');
    expectProven(one);
  });

  it('a pre-commit hook that mends files is judged and lands with them; commit-msg sees the message', async () => {
    const repository = await slotRepository();
    const hooks = join(repository.top, '.git/hooks');
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\necho mended >> src/app.js\ngit add src/app.js\n');
    writeFileSync(join(hooks, 'commit-msg'), '#!/bin/sh\nsed -i "1s/^/JIRA-1 /" "$1"\n');
    for (const name of ['pre-commit', 'commit-msg']) chmodSync(join(hooks, name), 0o755);
    const one = await lander(repository, { config: { commit_hooks: 'run' } });
    const session = await one.start(1);
    writeIn(session.slot, 'src/app.js', 'two\n');
    await one.land(session);
    expect(repository.read('src/app.js')).toBe('two\nmended\n');
    expect(repository.git('log', '-1', '--format=%s')).toBe('JIRA-1 Task 1');
    expectProven(one);
  });

  it('a shallow clone merges work', async () => {
    const repository = await slotRepository();
    repository.write('x.txt', 'x\n');
    const second = repository.commit('Second');
    writeFileSync(join(repository.top, '.git/shallow'), `${second}\n`);
    const first = repository.git('cat-file', '-p', second).match(/parent (\w+)/)?.[1] ?? '';
    rmSync(join(repository.top, '.git/objects', first.slice(0, 2), first.slice(2)));
    const one = await lander(repository);
    const sessions = [await one.start(1), await one.start(2)] as const;
    writeIn(sessions[0].slot, 'src/app.js', 'two\n');
    writeIn(sessions[1].slot, 'lib/tool.js', 'better\n');
    for (const session of sessions) await one.land(session);
    expect(taskCommits(one)).toHaveLength(2);
  });
});

describe("a person's commits", () => {
  it('commits on top of the trunk are taken in', async () => {
    const one = await newLander();
    const session = await one.start(1);
    one.repository.write('mine.txt', 'mine\n');
    const mine = one.repository.commit('Mine');
    writeIn(session.slot, 'src/app.js', 'two\n');
    const { work } = await one.land(session);
    expect(one.repository.git('rev-parse', `${work?.commit}^`)).toBe(mine);
    expectProven(one);
  });

  it('commits beside the trunk are merged into it and gated once', async () => {
    const one = await newLander();
    const session = await one.start(1);
    one.repository.write('src/app.js', 'edited\n');
    writeIn(session.slot, 'src/app.js', 'two\n');
    await one.land(session);
    expect(one.following).toMatchObject([{ kind: 'waits' }]);
    one.repository.git('checkout', '-q', 'src/app.js');
    one.repository.write('mine.txt', 'mine\n');
    one.repository.commit('Mine');
    const next = await one.start(2);
    writeIn(next.slot, 'lib/tool.js', 'better\n');
    await one.land(next);
    expect(one.seen()).toHaveLength(3);
    expect(one.repository.git('show', 'ralph/main:mine.txt')).toBe('mine');
    expect(one.repository.git('rev-parse', 'main')).toBe(one.tip());
    expectProven(one);
  });

  it('commits that conflict with the trunk wait for their person, and the work is kept', async () => {
    const one = await newLander();
    const session = await one.start(1);
    one.repository.write('src/app.js', 'mine\n');
    writeIn(session.slot, 'src/app.js', 'two\n');
    await one.land(session);
    one.repository.commit('Mine');
    const next = await one.start(2);
    writeIn(next.slot, 'lib/tool.js', 'better\n');
    const failed = await one.land(next).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MachineFailed);
    expect(String(failed)).toMatch(/conflict with landed work in src\/app\.js.*git merge ralph\/main/);
    expect(await readSessionWork(one.repository.place, next.claim.session.id)).not.toBeNull();
    expect(one.repository.read('src/app.js')).toBe('mine\n');
  });
});

describe('git gc --prune=now', () => {
  it('it may run before and while gates run, and loses nothing', async () => {
    const repository = await slotRepository();
    const gc = (): void => {
      try {
        repository.git('gc', '-q', '--prune=now');
      } catch (error) {
        // Ralph holds it off for a moment.
        expect(String(error)).toContain('gc is already running');
      }
    };
    // HEAD of the slot is there, too.
    const one = await lander(repository, { onGate: gc, gate: 'git cat-file -e HEAD' });
    const [first, second] = [await one.start(1), await one.start(2)];
    writeIn(first.slot, 'src/app.js', 'two\n');
    writeIn(second.slot, 'lib/tool.js', 'better\n');
    gc();
    for (const session of [first, second]) {
      await one.verifier.isUnchanged(session.claim);
      gc();
      const gates = await one.verifier.runGates(session.claim, DONE);
      gc();
      await one.verifier.commit(session.claim, DONE, gates);
      gc();
      one.verifier.leave(session.claim.session.id);
    }
    expect(taskCommits(one)).toHaveLength(2);
    expect(await readRef(repository.place, one.trunk.ref)).toBe(one.tip());
    repository.git('fsck', '--connectivity-only');
    expectProven(one);
  });
});

it('a session that fails while it lands lets the next one land', async () => {
  const one = await newLander();
  const [first, second] = [await one.start(1), await one.start(2)];
  writeIn(second.slot, 'lib/tool.js', 'better\n');
  rmSync(`${first.slot.folder}.session`);
  await expect(one.land(first)).rejects.toThrow(/no longer holds its files/);
  expect((await one.land(second)).work?.commit).toBe(one.tip());
  expect(existsSync(join(second.slot.tree, '.git'))).toBe(true);
  expect(readFileSync(join(one.repository.top, 'lib/tool.js'), 'utf8')).toBe('better\n');
});
