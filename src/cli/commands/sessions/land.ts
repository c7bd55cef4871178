import { requirePerson } from '../../../app/definitions/consent.ts';
import { applyTrunkDefinitions } from '../../../app/definitions/trunk-definitions.ts';
import { requireTrusted } from '../../../app/definitions/trust.ts';
import { type Project, withProject } from '../../../app/open-project.ts';
import type { ProjectContext } from '../../../app/world.ts';
import type { Config } from '../../../domain/config.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { plural } from '../../../domain/text/text.ts';
import { findGit } from '../../../host/git/git-directory.ts';
import type { Place } from '../../../host/git/own-git.ts';
import { advanceTrunk, findTrunk, readRef, type Trunk } from '../../../host/landing/trunk.ts';
import { followTrunk } from '../../../host/persons-branch/follow.ts';
import { noBranchText } from '../../../host/persons-branch/persons-commits.ts';
import { countWaiting } from '../../../host/persons-branch/waiting-commits.ts';
import { configuredRemote } from '../../../host/remote/remote.ts';
import { readConfig } from '../../../project/read-config.ts';
import { isShared } from '../../../queue/definitions/apply-committed.ts';
import { type LookedPull, watchPulls } from '../../../supervisor/pull-requests/watch-pulls.ts';
import { pullLine } from '../../../text/pull-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand } from '../../command.ts';

export const land = defineCommand<[]>({
  name: 'land',
  summary: 'look at pull requests, and bring your branch and checkout forward to the work that has landed',
  group: 'Work',
  examples: ['ralph land', 'ralph land --json'],
  run: (context) =>
    withProject(context, async (project) => {
      const { root, stateDir } = project;
      await requirePerson(context, project, 'moves their branch');
      if (findGit(root) === null)
        throw new Refusal('This project is in no git repository, so no work lands on a branch here.');
      const repository = { root, stateDir, env: context.env };
      const whole = await readConfig(root);
      const { land: config } = whole;
      const pull_requests = await lookAtPulls(context, project, whole);
      const trunk = findTrunk(repository, config.branch, configuredRemote(config));
      if (trunk.remote !== null) await advanceTrunk(repository, trunk);
      if (isShared(project.queue))
        await applyTrunkDefinitions(repository, project.queue, config, { isAsked: true });
      const landing = await bringForward(repository, trunk);
      return {
        json: { branch: trunk.branch, ...landing, pull_requests },
        text: [
          ...pull_requests.map(pullLine),
          wrap(oneLine(landingText(landing, trunk)), context.terminal.columns),
        ].join('\n'),
        exitCode: landing.kind === 'waits' || landing.kind === 'diverged' ? 1 : 0,
      };
    }),
});

/** All of them, whenever a run would look again. */
async function lookAtPulls(context: ProjectContext, project: Project, config: Config): Promise<LookedPull[]> {
  if (config.land.target === 'branch') return [];
  await requireTrusted(context, project);
  const { root, stateDir, queue } = project;
  const pulls = await watchPulls({ queue, config, place: { root, stateDir, env: context.env } });
  const all: LookedPull[] = [];
  await pulls?.look({ isAll: true, isAsked: true, onLooked: (one) => all.push(one) });
  return all;
}

type Landing =
  | { kind: 'none' }
  | { kind: 'nothing'; commit: string }
  | { kind: 'followed'; commit: string; commits: number }
  | { kind: 'waits'; commits: number; reason: string }
  | { kind: 'diverged'; commits: number; own: number };

async function bringForward(repository: Place, trunk: Trunk): Promise<Landing> {
  const branch = await readRef(repository, trunk.branchRef);
  if (branch === null) throw new Refusal(noBranchText(trunk));
  const waiting = await countWaiting(repository, trunk);
  if (waiting === null) return { kind: 'none' };
  const { landed: commits, own, rewritten } = waiting;
  // What they replaced waits instead: a merge would bring it back.
  if (commits > 0 && own > 0 && !rewritten) return { kind: 'diverged', commits, own };
  const following = await followTrunk(repository, trunk, { isAsked: true });
  return following.kind === 'nothing' ? { kind: 'nothing', commit: branch } : following;
}

function landingText(landing: Landing, { branch, name }: Trunk): string {
  switch (landing.kind) {
    case 'none':
      return `Nothing has landed for ${branch} yet: there is no branch ${name}.`;
    case 'nothing':
      return `${branch} is at ${landing.commit.slice(0, 7)} and has everything that landed.`;
    case 'followed':
      return `${branch} is at ${landing.commit.slice(0, 7)} (${plural(landing.commits, 'new commit')}).`;
    case 'waits':
      return `${plural(landing.commits, 'commit')} ${landing.commits === 1 ? 'waits' : 'wait'} on ${name}. ${landing.reason}`;
    case 'diverged':
      return `${branch} and ${name} have diverged: ${branch} has ${plural(landing.own, 'commit')} of its own, ${name} has ${landing.commits}. Merge them with: git merge ${name}`;
  }
}
