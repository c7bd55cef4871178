// The person's files, commits and second work tree.
import type { Branch, Evidence } from '../evidence.ts';
import { PERSONAL } from '../project.ts';

/** Nothing looks changed but what a person had changed, and that is as they left it. The journal is for a person to commit. */
export function aPersonsChangesAreAsTheyWere({ status, personal, person: { drafts } }: Evidence): string[] {
  const expected = [...drafts].map(([name, { status: code }]) => `${code} ${name}`);
  return [
    ...status
      .filter((line) => !expected.includes(line) && !/ \.ralph\/(memory\/|progress\.)/.test(line))
      .map((line) => `git status says: ${line}`),
    ...expected.filter((line) => !status.includes(line)).map((line) => `git status does not say: ${line}`),
    ...[...drafts]
      .filter(([name, { text }]) => personal[name] !== text)
      .map(([name]) => `${name} is not what a person wrote`),
  ];
}

/** Nothing that the person or a colleague committed has vanished, and nothing that the person replaced is back. */
export function everyCommitOfThePersonIsThere({ person, branches }: Evidence): string[] {
  const findBranch = (name: string): Branch | undefined => branches.find((branch) => branch.name === name);
  const main = findBranch('main');
  const shared = (main?.files['shared.txt'] ?? '').split('\n');
  return [
    ...person.refused.map((sentence) => `git refused the person: ${sentence}`),
    ...person.commits.flatMap(({ subject, branch }) => {
      const count = findBranch(branch)?.log.filter((one) => one.subject === subject).length ?? 0;
      return count === 1 ? [] : [`"${subject}" is ${count} times on ${branch}`];
    }),
    ...person.files
      .filter(({ branch, path, text }) => findBranch(branch)?.files[path] !== text)
      .map(({ branch, path }) => `${path} on ${branch} is not what the person committed`),
    ...person.lines
      .filter(({ branch }) => branch === 'main')
      .filter(({ text }) => shared.filter((line) => line === text).length !== 1)
      .map(({ text }) => `shared.txt does not hold "${text}" once`),
    ...[...person.rewritten.keys()]
      .filter((hash) => main?.log.some((one) => one.hash === hash))
      .map((hash) => `${hash}, which the person replaced, is on main`),
  ];
}

export function noTaskCommitHoldsThePersonsWork({ branches }: Evidence): string[] {
  return branches.flatMap(({ taskCommits }) =>
    taskCommits.flatMap(({ task, files, changed }) => [
      ...files
        .filter((path) => /^(person|colleague|draft|plan)-/.test(path) || path in PERSONAL)
        .map((path) => `the commit of task ${task} holds ${path}`),
      ...changed
        .filter((line) => /by a (person|colleague)/.test(line))
        .map((line) => `the commit of task ${task} holds the line ${line}`),
    ]),
  );
}

export function theSecondTreeIsUntouched({ secondTree }: Evidence): string[] {
  if (secondTree === null) return [];
  const { before, after } = secondTree;
  const paths = new Set([...Object.keys(before.files), ...Object.keys(after.files)]);
  return [
    ...(before.branch === after.branch ? [] : [`the second tree is on ${after.branch}`]),
    ...(before.commit === after.commit ? [] : [`the branch of the second tree moved to ${after.commit}`]),
    ...(before.status === after.status ? [] : [`git status of the second tree says: ${after.status}`]),
    ...[...paths]
      .filter((path) => before.files[path] !== after.files[path])
      .map((path) => `${path} of the second tree was changed`),
  ];
}
