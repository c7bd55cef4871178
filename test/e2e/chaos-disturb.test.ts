// The parts of the chaos rounds that disturb: the drawn plan, and the git that dies at the armed call.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { armGit, disarmGit, writeGitShim } from '../../scripts/chaos/disturb/git-call.ts';
import { VICTIMS } from '../../scripts/chaos/disturbance.ts';
import { planRound } from '../../scripts/chaos/plan.ts';
import { tempDir } from '../support/temp.ts';

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);

describe('the plan of a round', () => {
  it('the plan of a round is the same for the same seed', () => {
    expect(planRound(7)).toEqual(planRound(7));
    expect(planRound(7)).not.toEqual(planRound(8));
  });

  it('the plan of a round draws every victim within a few hundred seeds', () => {
    const drawn = SEEDS.flatMap((seed) => planRound(seed).disturbances.map(({ victim }) => victim));
    expect(new Set(drawn)).toEqual(new Set(VICTIMS));
  });

  it('the plan of a round draws only the victims that were asked for', () => {
    const only = ['gate', 'rivals'] as const;
    const drawn = SEEDS.flatMap((seed) => planRound(seed, { only }).disturbances.map(({ victim }) => victim));
    expect(new Set(drawn)).toEqual(new Set(only));
  });
});

describe('the git in front of the real one', () => {
  function gitIn(folder: string) {
    const ledger = join(folder, 'ledger');
    mkdirSync(ledger);
    const PATH = `${writeGitShim(folder, ledger)}:${process.env['PATH']}`;
    const run = (env: Record<string, string>, ...args: string[]): NodeJS.Signals | number | null => {
      const { signal, status } = spawnSync('git', args, { cwd: folder, env: { HOME: folder, PATH, ...env } });
      return signal ?? status;
    };
    return {
      ledger,
      ralphs: (...args: string[]) => run({ RALPH_GIT_OF: '1.2' }, ...args),
      persons: (...args: string[]) => run({}, ...args),
    };
  }

  it('dies before the armed call of Ralph has run, and only then', () => {
    const folder = tempDir();
    const { ledger, ralphs, persons } = gitIn(folder);
    armGit(ledger, 2, 'before');
    expect(ralphs('--version')).toBe(0);
    expect(persons('--version')).toBe(0);
    expect(ralphs('init', '-q')).toBe('SIGKILL');
    expect(existsSync(join(folder, '.git'))).toBe(false);
    expect(ralphs('init', '-q')).toBe(0);
  });

  it('dies after the armed call of Ralph has run', () => {
    const folder = tempDir();
    const { ledger, ralphs } = gitIn(folder);
    armGit(ledger, 1, 'after');
    expect(ralphs('init', '-q')).toBe('SIGKILL');
    expect(existsSync(join(folder, '.git/HEAD'))).toBe(true);
  });

  it('lives when it was disarmed', () => {
    const { ledger, ralphs } = gitIn(tempDir());
    armGit(ledger, 1, 'before');
    disarmGit(ledger);
    expect(ralphs('--version')).toBe(0);
  });
});
