import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotLanded } from '../../../src/domain/sessions/landing.ts';
import { expectProven, type Lander, type LandingSession, newLander } from '../../support/landing.ts';
import { writeIn } from '../../support/slots.ts';

const FILES = ['src/app.js', 'lib/tool.js', 'new.txt'] as const;
const file = fc.constantFrom(...FILES);
const session = fc.integer({ min: 0, max: 2 });

type Act =
  | { kind: 'work'; session: number; file: string; text: number }
  | { kind: 'land'; sessions: number[] }
  | { kind: 'edit' | 'stage' | 'commit'; file: string; text: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('work' as const), session, file, text: fc.nat(9) }),
  fc.record({ kind: fc.constant('land' as const), sessions: fc.uniqueArray(session, { minLength: 1 }) }),
  fc.record({
    kind: fc.constantFrom('edit' as const, 'stage' as const, 'commit' as const),
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
        if (!(error instanceof NotLanded) && !/conflict with landed work/.test(String(error))) throw error;
      });
    }),
  );
}

it('every landed tree was seen by a gate, nothing lands twice, and a person loses no byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 8 }), async (acts) => {
      const one = await newLander();
      const open = new Map<number, LandingSession>();
      const { write, git } = one.repository;
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
        }
      }
      await landAll(one, open, [0, 1, 2]);
      expectProven(one);
    }),
    { numRuns: 5 },
  );
});
