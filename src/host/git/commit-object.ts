// Makes a commit without a signature. Where nothing is unusual, Ralph writes the object itself: a process of git takes milliseconds.
import type { Environment } from '../processes/spawn.ts';
import { type Git, gitLine } from './git.ts';
import { writeLooseCommit } from './loose-objects.ts';

export type CommitContent = { tree: string; parents: readonly string[]; message: string };

/** Author and committer are those of the environment, or else of the person's settings. */
export async function makeCommitObject(repository: Git, content: CommitContent): Promise<string> {
  const text = commitText({ ...repository.env, ...repository.overrides }, content);
  const written = text === null ? null : writeLooseCommit(repository, text, content.tree.length);
  if (written !== null) return written;
  const { tree, parents, message } = content;
  return gitLine(
    repository,
    ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'],
    {
      input: Buffer.from(message),
    },
  );
}

/** Null if git has to find out who commits, has to read a date, or has to refuse the message. */
function commitText(env: Environment, { tree, parents, message }: CommitContent): string | null {
  if (env['GIT_AUTHOR_DATE'] !== undefined || env['GIT_COMMITTER_DATE'] !== undefined) return null;
  const [author, committer] = ['AUTHOR', 'COMMITTER'].map((role) => identity(env, role));
  if (author === null || committer === null || message.includes('\0')) return null;
  const now = timeNow();
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${author} ${now}`,
    `committer ${committer} ${now}`,
  ];
  return `${lines.join('\n')}\n\n${message.endsWith('\n') ? message : `${message}\n`}`;
}

/** Git removes some characters from names, most of all at their ends. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} @+_-]|[.](?=[\p{L}\p{N}]))*$/u;

function identity(env: Environment, role: string): string | null {
  const [name = '', email = ''] = [env[`GIT_${role}_NAME`], env[`GIT_${role}_EMAIL`]];
  return [name, email].every((text) => PLAIN.test(text) && !text.endsWith(' ')) ? `${name} <${email}>` : null;
}

/** The time as git writes it: seconds, and how far the clock on the wall is from UTC. */
function timeNow(): string {
  const now = new Date();
  const minutes = -now.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${hours}`.padStart(2, '0') + `${rest}`.padStart(2, '0');
  return `${Math.floor(now.getTime() / 1_000)} ${minutes < 0 ? '-' : '+'}${zone}`;
}
