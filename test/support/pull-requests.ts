// A project whose work goes to pull requests: a scripted agent, a bare repository, and a GitHub on loopback that is about it.
import { join } from 'node:path';
import { type FakeGithub, type FakePull, fakeGithub } from './github.ts';
import { type Ran, runWithin } from './ralph.ts';
import { runNow } from './run-now.ts';
import { type ScriptedProject, scripted } from './scripted-agent.ts';

export type PullProject = ScriptedProject & {
  github: FakeGithub;
  /** Git in the bare repository. */
  at(...args: string[]): string;
  ralph(...args: string[]): Promise<Ran>;
  json(...args: string[]): Promise<Record<string, unknown>>;
  /** The only pull request there is. */
  pull(): FakePull;
  /** Somebody works on a branch of the bare repository, as on another machine: shell lines in a clone of it. */
  inClone(branch: string, script: string): void;
  /** Somebody commits a file there, and pushes it. */
  push(branch: string, file: string, text: string): void;
};

export async function pullProject(
  attempts: Parameters<typeof scripted>[0],
  { gate = 'true', per = 'task', more = '' }: { gate?: string; per?: 'task' | 'feature'; more?: string } = {},
): Promise<PullProject> {
  const made = await scripted(attempts);
  const { project, git } = made;
  const github = await fakeGithub();
  git('branch', '-M', 'main');
  const bare = join(project.home, 'origin.git');
  git('clone', '-q', '--bare', project.root, bare);
  git('remote', 'add', 'origin', bare);
  github.repository = bare;
  await made.config(
    [
      `gates: [{ name: test, command: ${JSON.stringify(gate)} }]`,
      `land: { target: pull_request, branch: main, per: ${per} }`,
      `github: { api: "${github.api}", repository: octo/shelf }`,
      more,
    ].join('\n'),
  );
  const env = { HOME: project.home, PATH: process.env['PATH'], GH_ENTERPRISE_TOKEN: github.token ?? '' };
  const ralph = (...args: string[]): Promise<Ran> => runWithin(args, { cwd: project.root, env });
  const inClone = (branch: string, script: string): void => {
    const clone = join(project.home, `other-${crypto.randomUUID()}`);
    const who = (role: string) => ({ [`GIT_${role}_NAME`]: 'Kim', [`GIT_${role}_EMAIL`]: 'kim@example.com' });
    const options = {
      cwd: project.root,
      env: { HOME: project.home, PATH: process.env['PATH'], ...who('AUTHOR'), ...who('COMMITTER') },
    };
    runNow('git', ['clone', '-q', '-b', branch, bare, clone], options);
    runNow('sh', ['-ec', script], { ...options, cwd: clone });
  };
  return {
    ...made,
    github,
    at: (...args) => runNow('git', args, { cwd: bare, env }).trim(),
    ralph,
    json: async (...args) => JSON.parse((await ralph(...args, '--json')).stdout) as Record<string, unknown>,
    pull: () => {
      const [pull, ...others] = github.pulls;
      if (pull === undefined || others.length > 0) throw new Error(`${github.pulls.length} pull requests`);
      return pull;
    },
    inClone,
    push: (branch, file, text) =>
      inClone(
        branch,
        `printf %s '${text}' > ${file}; git add .; git commit -qm 'A commit of Kim'; git push -q`,
      ),
  };
}
