// A round that nothing disturbed, and copies of it to break: what the checks of the chaos rounds are seen to catch.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { judge } from '../../scripts/chaos/checks.ts';
import { askGit, type Evidence, gatherEvidence, readRemains } from '../../scripts/chaos/evidence.ts';
import { type Round, runRound } from '../../scripts/chaos/round.ts';
import type { Scene } from '../../scripts/chaos/scene.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';
import { tempDir } from '../support/temp.ts';

export type Broken = {
  root: string;
  ledger: string;
  scene: Scene;
  git: (...args: string[]) => string;
  sql: (statement: string) => void;
};

/** What is gathered of a copy. All the rest is as it was: git and clones cost far more than the check that is tried. */
type Look = (whole: Evidence, copy: Scene) => Partial<Evidence>;

export const everything: Look = ({ plan }, copy) => gatherEvidence(plan, copy, []);
export const besideGit: Look = (_, copy) => readRemains(copy);
export const inGit: Look = ({ plan }, copy) => ({ ...readRemains(copy), ...askGit(plan, copy) });

export type BrokenRound = {
  /** The round as it was. */
  whole(): Round;
  /** The names of the checks that complain of a copy that was broken, of which `look` gathers what may have changed. */
  complaintsAbout(breakIt: (copy: Broken) => unknown, look?: Look): Promise<string[]>;
  /** The same for the round itself, with other evidence. */
  complaintsOf(broken: Partial<Evidence>): string[];
};

export function brokenRound(): BrokenRound {
  let round: Round;
  beforeAll(async () => {
    const programs = { ralph: inject('ralph'), agent: inject('chaosAgent') };
    round = await runRound(1, programs, { small: true, keep: true, undisturbed: true });
  });
  afterAll(() => rmSync(round.scene.project.folder, { recursive: true, force: true }));
  return {
    whole: () => round,
    complaintsAbout: (breakIt, look = everything) => complaintsAbout(round, breakIt, look),
    complaintsOf: (broken) => namesIn(judge({ ...round.evidence, ...broken })),
  };
}

async function complaintsAbout(
  round: Round,
  breakIt: (copy: Broken) => unknown,
  look: Look,
): Promise<string[]> {
  const folder = tempDir();
  cpSync(round.scene.project.folder, folder, { recursive: true });
  const [root, ledger] = [join(folder, 'project'), join(folder, 'ledger')];
  // Without the git that can be told to die: nothing here starts a run.
  const env = { ...round.scene.project.env, PATH: process.env['PATH'] ?? '' };
  const project = { ...round.scene.project, folder, root, ledger, env };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env: project.env, encoding: 'utf8', stdio: 'pipe' });
  const sql = (statement: string): void => {
    const db = openBetterSqlite(join(root, '.git/ralph/ralph.db'));
    db.pragma('foreign_keys = off');
    db.exec(statement);
    db.close();
  };
  const scene: Scene = { ...round.scene, project };
  await breakIt({ root, ledger, scene, git, sql });
  return namesIn(judge({ ...round.evidence, ...look(round.evidence, scene) }));
}

const namesIn = (violations: readonly string[]): string[] =>
  violations.map((line) => line.slice(0, line.indexOf(':')));
