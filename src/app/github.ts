// Reads the issues of a repository on GitHub as a backlog. Nothing is written there.
import type { Backlog } from '../domain/exchange/backlog.ts';
import { Refusal } from '../domain/refusal.ts';
import { isPublicGithub } from '../domain/trust.ts';
import { type Github, openGithub } from '../host/github/client.ts';
import { fetchIssues, findRepository, type GithubRepository } from '../host/github/issues.ts';
import { findToken } from '../host/github/token.ts';
import { readApiIssues } from '../project/exchange/import/github-api.ts';
import { readConfig } from '../project/read-config.ts';
import { type KnownReference, listKnownReferences } from '../queue/exchange/imported-boards.ts';
import { readTrust } from './definitions/trust.ts';
import type { Project } from './open-project.ts';
import type { ProjectContext } from './world.ts';

type GithubRequest = {
  /** OWNER/REPO */
  repository: string;
  label: string | null;
  isPatient: boolean;
  tell(sentence: string): void;
};

export async function readGithubBacklog(
  context: ProjectContext,
  project: Project,
  { repository, label, isPatient, tell }: GithubRequest,
): Promise<Backlog> {
  const api = await trustedApi(context, project);
  const token = await findToken(api, context.env);
  const github = openGithub({ api, token, isPatient, limitAdvice: ', or wait for it with --wait', tell });
  const found = await findRepository(github, repository);
  if (found === null)
    throw new Refusal(
      `${github.host} has no repository ${repository} that you may read; check its name${github.hasToken ? ' and what your token may read' : ', or set GH_TOKEN if it is private'}.`,
    );
  if (found.name.toLowerCase() !== repository.toLowerCase())
    tell(`${repository} has moved to ${found.name}.`);
  const references = await listKnownReferences(project.queue, 'github');
  const board = await findBoard(github, found, references, isPublicGithub(api) ? '' : `${github.host}/`);
  const boardReferences = references.filter((one) => one.board === board);
  const followed = boardReferences.filter(({ isOpen }) => isOpen).map(({ id }) => Number(id));
  const fetched = await fetchIssues(github, found, {
    label,
    followed: followed.filter(Number.isSafeInteger),
  });
  const about = { board, known: new Set(boardReferences.map(({ id }) => id)), isWhole: label === null };
  const backlog = readApiIssues(fetched, about);
  // What was closed at the last import and is not open again has not changed.
  return { ...backlog, unread: boardReferences.filter(({ isOpen }) => !isOpen).map(({ id }) => id) };
}

/** A clone may name any server: it gets no token, and its issues no place in the queue, before a person trusts it. */
async function trustedApi(context: ProjectContext, project: Project): Promise<string> {
  const config = await readConfig(project.root);
  const { api } = config.github;
  if (!isPublicGithub(api) && !(await readTrust(context, project, config)).trusted)
    throw new Refusal(
      `The configuration names ${api} as GitHub, and you have not trusted that yet; look at it with: ralph trust`,
    );
  return api;
}

/** More boards than a repository has; each costs a request. */
const MAX_BOARDS = 20;

/** The name under which the repository was imported first: it may have moved since. `prefix`: the host, unless it is github.com. */
async function findBoard(
  github: Github,
  { name }: GithubRepository,
  references: readonly KnownReference[],
  prefix: string,
): Promise<string> {
  const boards = [...new Set(references.map(({ board }) => board))];
  if (boards.includes(`${prefix}${name}`)) return `${prefix}${name}`;
  const others = boards
    .filter((board) => board.startsWith(prefix))
    .map((board) => board.slice(prefix.length));
  for (const other of others.filter((one) => REPOSITORY.test(one)).slice(0, MAX_BOARDS))
    if ((await findRepository(github, other))?.name === name) return `${prefix}${other}`;
  return `${prefix}${name}`;
}

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

/** OWNER/REPO of `github:OWNER/REPO`. */
export function parseRepository(path: string): string {
  const name = path.slice('github:'.length).replace(/\.git$/, '');
  // "." and ".." would lead to another place of the API.
  if (!REPOSITORY.test(name) || name.split('/').some((part) => /^\.+$/.test(part)))
    throw new Refusal(`${path} names no repository; write github:OWNER/REPO.`);
  return name;
}
