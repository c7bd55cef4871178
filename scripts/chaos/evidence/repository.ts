// What git says after a round: commits, branches, references, and what a fresh clone holds.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PersonLog } from '../disturb/person-log.ts';
import type { Branch, Evidence, TaskCommit } from '../evidence.ts';
import type { ChaosProject } from '../project.ts';

export type Git = (...args: string[]) => string;

/** Empty where git fails: a damaged repository is for the checks to name. */
export const gitIn =
  ({ env }: Pick<ChaosProject, 'env'>, cwd: string): Git =>
  (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
    return status === 0 ? stdout : '';
  };

export const splitLines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/**
 * The main branch, and those that the person made: on such a one only what came after the person's own commit counts. A run that
 * was killed may have landed work that an unused branch does not have yet.
 */
export function readBranches(git: Git, { commits }: PersonLog, paths: readonly string[]): Branch[] {
  const sides = new Map(
    commits.filter(({ branch }) => branch !== 'main').map((one) => [one.branch, one.subject]),
  );
  const found = ['main', ...sides.keys()].filter((name) => hasObject(git, `refs/heads/${name}`));
  return found.map((name) => {
    const tip = name !== 'main' && hasObject(git, `refs/heads/ralph/${name}`) ? `ralph/${name}` : name;
    const log = splitLines(git('log', '--format=%H %s', tip)).map((line) => ({
      hash: line.slice(0, line.indexOf(' ')),
      subject: line.slice(line.indexOf(' ') + 1),
    }));
    const first = log.find(({ subject }) => subject === sides.get(name))?.hash;
    const range = first === undefined ? tip : `${first}..${tip}`;
    const files = readTexts(git, tip, paths);
    return { name, log, files, taskCommits: readTaskCommits(git, range) };
  });
}

function readTaskCommits(git: Git, range: string): TaskCommit[] {
  const format =
    '%H %T %(trailers:key=Ralph-Task,valueonly,separator=%x2c) %(trailers:key=Ralph-Session,valueonly,separator=%x2c)';
  return splitLines(git('log', '--grep=Ralph-Task:', `--format=${format}`, range)).map((line) => {
    const [hash = '', tree = '', task = '', session = ''] = line.split(' ');
    const files = splitLines(git('show', '--name-only', '--format=', hash));
    const changed = splitLines(git('show', '--unified=0', '--format=', hash)).filter((text) =>
      /^[-+]/.test(text),
    );
    return { hash, tree, task: Number(task), session, files, changed };
  });
}

/**
 * Landed commits that Ralph put on top of what the person made of their branch, each with its replacement. The reflog of a trunk
 * tells when; the trailer tells which commit is which.
 */
export function plantedAnew(git: Git, { rewritten }: PersonLog): Map<string, string> {
  const byPerson = new Set(rewritten.values());
  const planted = new Map<string, string>();
  for (const trunk of splitLines(git('for-each-ref', '--format=%(refname)', 'refs/heads/ralph/'))) {
    const moves = splitLines(git('reflog', 'show', '--format=%H %gs', trunk)).map((line) => ({
      to: line.slice(0, line.indexOf(' ')),
      isPlanting: line.includes('ralph: plant landed work anew'),
    }));
    for (const [nth, { to, isPlanting }] of moves.entries()) {
      const from = moves[nth + 1]?.to;
      if (!isPlanting || from === undefined) continue;
      const replaced = readTaskCommits(git, `${to}..${from}`);
      for (const { hash, session } of readTaskCommits(git, `${from}..${to}`)) {
        const old = replaced.find((one) => one.session === session);
        if (old !== undefined && !byPerson.has(hash)) planted.set(old.hash, hash);
      }
    }
  }
  return planted;
}

const hasObject = (git: Git, name: string): boolean => git('cat-file', '-t', name) !== '';

function readTexts(git: Git, branch: string, paths: readonly string[]): Branch['files'] {
  const there = splitLines(git('ls-tree', '-r', '--name-only', branch, '--', ...paths));
  const textAt = (path: string) => (there.includes(path) ? git('show', `${branch}:${path}`) : null);
  return Object.fromEntries(paths.map((path) => [path, textAt(path)]));
}

type CloneSource = Pick<ChaosProject, 'folder' | 'root' | 'ledger' | 'env'>;

/** The gate in a fresh clone, once for each commit. */
export function judgeClone(project: CloneSource, commits: readonly string[]): Evidence['clones'] {
  const { folder, root, ledger, env } = project;
  const [clone, ownLedger] = [join(folder, 'clone'), join(folder, 'clone-ledger')];
  mkdirSync(ownLedger);
  try {
    const made = spawnSync('git', ['clone', '-q', '--no-local', root, clone], { env, encoding: 'utf8' });
    if (made.status !== 0) return [{ commit: 'HEAD', code: made.status, output: made.stderr }];
    return commits.map((commit) => {
      const checkout = spawnSync('git', ['checkout', '-q', '--detach', commit], {
        cwd: clone,
        env,
        encoding: 'utf8',
      });
      if (checkout.status !== 0) return { commit, code: checkout.status, output: checkout.stderr };
      const command = [join(ledger, 'gate.sh'), ownLedger, '0', 'clone'];
      const { status, stdout, stderr } = spawnSync('sh', command, { cwd: clone, env, encoding: 'utf8' });
      return { commit, code: status, output: `${stdout}${stderr}` };
    });
  } finally {
    for (const place of [clone, ownLedger]) rmSync(place, { recursive: true, force: true });
  }
}
