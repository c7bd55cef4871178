import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotLanded } from '../../../src/domain/sessions/landing.ts';
import { expectProven, type Lander, type LandingSession, newLander } from '../../support/landing.ts';
import { writeIn } from '../../support/slots.ts';
import { tries } from '../../support/tries.ts';

const FILES = ['src/app.js', 'lib/tool.js', 'new.txt'] as const;
const file = fc.constantFrom(...FILES);
const session = fc.integer({ min: 0, max: 2 });

type Act =
  | { kind: 'work'; session: number; file: string; text: number }
  | { kind: 'land'; sessions: number[] }
  | { kind: 'edit' | 'stage' | 'commit' | 'amend' | 'drop'; file: string; text: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('work' as const), session, file, text: fc.nat(9) }),
  fc.record({ kind: fc.constant('land' as const), sessions: fc.uniqueArray(session, { minLength: 1 }) }),
  fc.record({
    kind: fc.constantFrom(...(['edit', 'stage', 'commit', 'amend', 'drop'] as const)),
    file,
    text: fc.nat(9),
  }),
);

/** What the person has changed and not committed, with its bytes. */
function uncommitted({ repository: { git, read } }: Lander): Record<string, string | null> {
  const paths = git('status', '--porcelain=v1', '-z', '--untracked-files=all').split('\0').filter(Boolean);
  return Object.fromEntries(
    paths.map((entry) => entry.replace(/^.{1,2} /, '')).map((path) => [path, read(path)]),
  );
}

async function landAll(
  one: Lander,
  open: Map<number, LandingSession>,
  chosen: readonly number[],
): Promise<void> {
  await Promise.all(
    chosen.map(async (nth) => {
      const found = open.get(nth);
      if (found === undefined) return;
      open.delete(nth);
      // A conflict with other work, or of the person's own commits, lands nothing.
      await one.land(found).catch((error: unknown) => {
        const isConflict = /conflict with landed work|You replaced commits .* conflicts/.test(String(error));
        if (!(error instanceof NotLanded) && !isConflict) throw error;
      });
    }),
  );
}

/** Work lands on a commit of the person, whose checkout has a file in its way: main does not get it. */
async function beginWaiting(one: Lander): Promise<void> {
  one.repository.git('commit', '-q', '--allow-empty', '-m', 'Mine');
  one.repository.write('landed.txt', 'in the way\n');
  const found = await one.start(4);
  writeIn(found.slot, 'landed.txt', 'landed\n');
  await one.land(found);
}

/** A new version of the newest commit, or one of the commit below it; returns what is no longer on the branch. */
function rewrite({ repository: { git } }: Lander, kind: 'amend' | 'drop'): string[] {
  const commits = git('rev-list', '--first-parent', 'HEAD').split('\n');
  const replaced = commits.slice(0, kind === 'drop' && commits.length > 1 ? 2 : 1);
  if (replaced.length > 1) git('reset', '-q', '--soft', 'HEAD^');
  git('commit', '-q', '--amend', '--allow-empty', '-m', `Instead of ${replaced[0]}`);
  return replaced;
}

it('every landed tree was seen by a gate, nothing lands twice, nothing replaced comes back, and a person loses no byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 8 }), fc.boolean(), async (acts, isWaiting) => {
      const one = await newLander();
      if (isWaiting) await beginWaiting(one);
      const open = new Map<number, LandingSession>();
      const { write, git } = one.repository;
      const replaced: string[] = [];
      for (const next of acts) {
        if (next.kind === 'work') {
          const found = open.get(next.session) ?? (await one.start(next.session + 1));
          open.set(next.session, found);
          writeIn(found.slot, next.file, `session ${next.session} ${next.text}\n`);
        } else if (next.kind === 'land') {
          const before = uncommitted(one);
          await landAll(one, open, next.sessions);
          expect(uncommitted(one)).toEqual(before);
        } else {
          write(next.file, `person ${next.text}\n`);
          if (next.kind !== 'edit') git('add', next.file);
          if (next.kind === 'commit') git('commit', '-q', '--allow-empty', '-m', 'Mine');
          if (next.kind === 'amend' || next.kind === 'drop') replaced.push(...rewrite(one, next.kind));
        }
      }
      const last = await one.start(5);
      writeIn(last.slot, 'last.txt', 'last\n');
      await landAll(one, open.set(4, last), [0, 1, 2, 4]);
      expectProven(one);
      // If they conflict, the trunk stays as it was.
      const [landed, branch] = ['ralph/main', 'main'].map((name) =>
        git('rev-list', '--ignore-missing', name),
      );
      if (landed?.includes(branch?.split('\n')[0] ?? ''))
        expect(replaced.filter((commit) => landed.includes(commit))).toEqual([]);
    }),
    { numRuns: tries(5) },
  );
});
