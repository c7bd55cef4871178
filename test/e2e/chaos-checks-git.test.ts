// The checks of the chaos rounds on the repository and on the person's work: each seen to catch what it is there for.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSecondTree } from '../../scripts/chaos/disturb/second-tree.ts';
import { type Broken, brokenRound, everything, inGit } from './broken-round.ts';

const { whole, complaintsAbout } = brokenRound();

/** As Ralph does it after a person's rewrite: the same work under another hash. */
const plantAnew = (git: Broken['git'], ...options: string[]): void => {
  git('commit', '-q', ...options, '--amend', '--no-edit', '--date=2001-01-01T00:00:00Z');
  git('update-ref', '-m', 'ralph: plant landed work anew on main', 'refs/heads/ralph/main', 'HEAD');
};

it('a judged commit that was planted anew is that of its receipt', async () => {
  expect(await complaintsAbout(({ git }) => plantAnew(git, '--only'), everything)).toEqual([]);
});

describe('the checks catch', () => {
  it.each<[string, string, (copy: Broken) => unknown]>([
    [
      'a second commit of a task',
      'everyDoneHasOneCommit',
      ({ git }) => git('commit', '-q', '--allow-empty', '-m', 'Again\n\nRalph-Task: 1\nRalph-Session: x'),
    ],
    [
      'a commit that is not that of the receipt',
      'everyDoneHasOneCommit',
      ({ sql }) => sql("update receipts set commit_id = 'another'"),
    ],
    [
      'a commit that was planted anew and that no gate has judged',
      'everyPlantedTreeWasJudged',
      ({ git }) => {
        git('add', 'notes.txt');
        plantAnew(git);
      },
    ],
    [
      'a receipt for another tree than that of its commit',
      'everyReceiptNamesTheTreeOfItsCommit',
      ({ sql }) => sql("update receipts set tree_hash = 'another'"),
    ],
    [
      'landed work that the branch did not get',
      'theBranchHasFollowedTheTrunk',
      ({ git }) => git('update-ref', 'refs/heads/main', 'main~1'),
    ],
    [
      'a gate that passed on another tree',
      'everyDoneHasAGatePassOnItsTree',
      ({ sql }) => sql("update gate_runs set tree_hash = 'another'"),
    ],
    [
      'a gate that passed only on paper',
      'everyDoneHasAGatePassOnItsTree',
      ({ ledger }) => writeFileSync(join(ledger, 'gates.log'), 'begun\n'),
    ],
    [
      'work that was lost from the branch',
      'everyCommitHoldsItsOwnWork',
      ({ git }) => git('commit', '-q', '-m', 'Lose it', '--', git('rm', '-q', 'work/1.txt') || 'work/1.txt'),
    ],
    [
      "a commit with somebody else's file",
      'everyCommitHoldsItsOwnWork',
      ({ git }) => {
        git('add', 'notes.txt');
        git('commit', '-q', '--amend', '--no-edit');
      },
    ],
    [
      'a broken object',
      'theRepositoryIsSound',
      ({ git, root }) => {
        const hash = git('rev-parse', 'HEAD:work/1.txt').trim();
        rmSync(join(root, '.git/objects', hash.slice(0, 2), hash.slice(2)), { force: true });
      },
    ],
    [
      'work that is kept for a task that is done',
      'noReferenceOfAFinishedSessionIsLeft',
      ({ git }) => git('update-ref', 'refs/ralph/task-1', 'HEAD'),
    ],
    [
      'the work of a session that is settled',
      'noReferenceOfAFinishedSessionIsLeft',
      ({ git }) => git('update-ref', `refs/ralph/work/${whole().evidence.sessions[0]?.id}`, 'HEAD'),
    ],
    [
      'the candidate of a session that is settled',
      'noReferenceOfAFinishedSessionIsLeft',
      ({ git }) => git('update-ref', `refs/ralph/candidate/${whole().evidence.sessions[0]?.id}`, 'HEAD'),
    ],
    [
      'the base of a session that is settled',
      'noReferenceOfAFinishedSessionIsLeft',
      ({ git }) => git('update-ref', `refs/ralph/base/${whole().evidence.sessions[0]?.id}`, 'HEAD^{tree}'),
    ],
    [
      'the proof of a session that is settled',
      'noReferenceOfAFinishedSessionIsLeft',
      ({ git }) => git('update-ref', `refs/ralph/proven/${whole().evidence.sessions[0]?.id}`, 'HEAD^{tree}'),
    ],
    [
      'a commit that passes the gate only in the work tree',
      'aFreshClonePassesTheGate',
      ({ git, root }) => {
        writeFileSync(join(root, 'work/1.txt'), 'bad\n');
        git('commit', '-q', '-m', 'Break it', '--', 'work/1.txt');
      },
    ],
    [
      'two tasks that are green apart and red together',
      'noTwoTasksHaveTheSameNumber',
      ({ git, root }) => {
        mkdirSync(join(root, 'claims'), { recursive: true });
        for (const id of [1, 2]) writeFileSync(join(root, `claims/${id}.txt`), '7\n');
        git('add', 'claims');
        git('commit', '-q', '-m', 'Collide', '--', 'claims');
      },
    ],
    [
      'a commit of a person that vanished from the branch',
      'everyCommitOfThePersonIsThere',
      ({ git }) => git('update-ref', 'HEAD', git('rev-list', '--max-parents=0', 'HEAD').trim()),
    ],
    [
      'a file of a person inside the commit of a task',
      'noTaskCommitHoldsThePersonsWork',
      ({ git }) => {
        git('add', 'notes.txt');
        git('commit', '-q', '--amend', '--no-edit');
      },
    ],
    [
      'a line of a person inside the commit of a task',
      'noTaskCommitHoldsThePersonsWork',
      ({ git, root }) => {
        appendFileSync(join(root, 'shared.txt'), 'Line by a person 7.\n');
        git('add', 'shared.txt');
        git('commit', '-q', '--amend', '--no-edit', '--', 'shared.txt');
      },
    ],
    [
      'a second work tree on another branch',
      'theSecondTreeIsUntouched',
      ({ scene }) => {
        scene.secondTree = makeSecondTree(scene.project, scene.programs);
        execFileSync('git', ['switch', '-q', '--detach'], {
          cwd: scene.secondTree.root,
          env: scene.project.env,
        });
      },
    ],
    [
      'a private file that was committed in a second work tree',
      'theSecondTreeIsUntouched',
      ({ scene }) => {
        scene.secondTree = makeSecondTree(scene.project, scene.programs);
        const { root: cwd } = scene.secondTree;
        execFileSync('git', ['add', 'notes.txt'], { cwd, env: scene.project.env });
        execFileSync('git', ['commit', '-q', '-m', 'Take it', '--', 'notes.txt'], {
          cwd,
          env: scene.project.env,
        });
      },
    ],
    [
      "a person's file that was changed",
      'aPersonsChangesAreAsTheyWere',
      ({ root }) => appendFileSync(join(root, 'README.md'), 'And more.\n'),
    ],
    [
      "a person's change that was staged",
      'aPersonsChangesAreAsTheyWere',
      ({ git }) => git('add', 'README.md'),
    ],
    [
      'work that looks changed',
      'aPersonsChangesAreAsTheyWere',
      ({ git }) => git('rm', '-q', '--cached', 'work/1.txt'),
    ],
  ])('%s', async (_, check, breakIt) => {
    const look = check === 'aFreshClonePassesTheGate' ? everything : inGit;
    expect(await complaintsAbout(breakIt, look)).toContain(check);
  });
});
