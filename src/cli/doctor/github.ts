// Checks whether Ralph can tell issues on GitHub what became of their tasks.
import { readTrust } from '../../app/definitions/trust.ts';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext } from '../../app/world.ts';
import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { isRecord } from '../../host/github/answers.ts';
import { openGithub } from '../../host/github/client.ts';
import { findToken, githubHost } from '../../host/github/token.ts';
import { importedBoards } from '../../queue/exchange/imported-boards.ts';
import { openNotifications } from '../../queue/notifications/outbox.ts';
import { repositoryOn } from '../../supervisor/issue-sync.ts';
import { untoldLines } from '../../text/outbox-text.ts';

export async function checkGithub(
  context: CommandContext,
  project: Project,
  config: Config,
): Promise<string> {
  const { api } = config.github;
  const host = githubHost(api);
  const boards = (await importedBoards(project.queue)).filter((board) => repositoryOn(api, board) !== null);
  if (boards.length === 0)
    throw new Refusal(
      `no issue was imported from ${host} on this machine, so Ralph tells none; run ralph import github:OWNER/REPO.`,
    );
  const token = await findToken(api, context.env);
  if (token === null) throw new Refusal(`there is no token for ${host}; set GH_TOKEN or run gh auth login.`);
  // A doctor asks no server that only a file of the project names.
  if (!(await readTrust(context, project, config)).trusted) return `${host}, not asked before you trust it`;
  const github = openGithub({ api, token, isPatient: false, isHasty: true, tell: () => {} });
  for (const board of boards) {
    const { value } = await github.get(`/repos/${repositoryOn(api, board)}`);
    if (!isRecord(value)) throw new Refusal(`${host} has no repository ${board} that your token may read.`);
    if (value['archived'] === true) throw new Refusal(`${board} is archived, so nobody can comment there.`);
    if (isRecord(value['permissions']) && !mayClose(value['permissions']))
      throw new Refusal(`you may not close issues of ${board}; ask for the role "triage" there.`);
  }
  const [untold] = untoldLines(await openNotifications(project.queue));
  if (untold !== undefined) throw new Refusal(`${untold}; ralph notify send tries again.`);
  return `${boards.join(', ')} on ${host}, with the token of ${token.from}`;
}

const mayClose = (permissions: Readonly<Record<string, unknown>>): boolean =>
  ['triage', 'push', 'maintain', 'admin'].some((right) => permissions[right] === true);
