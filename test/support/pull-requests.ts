// A project whose work goes to pull requests: a scripted agent, a bare repository, and a GitHub on loopback that is about it.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeGithub, type FakePull, fakeGithub } from './github.ts';
import { type Ran, runWithin } from './ralph.ts';
import { type ScriptedProject, scripted } from './scripted-agent.ts';

export type PullProject = ScriptedProject & {
  github: FakeGithub;
  /** Git in the bare repository. */
  at(...args: string[]): string;
  ralph(...args: string[]): Promise<Ran>;
  json(...args: string[]): Promise<Record<string, unknown>>;
  /** The only pull request there is. */
  pull(): FakePull;
  /** Somebody commits a file to a branch of the bare repository, as from another machine. */
  push(branch: string, file: string, text: string): void;
};

export async function pullProject(
  attempts: Parameters<typeof scripted>[0],
  { gate = 'true', more = '' }: { gate?: string; more?: string } = {},
): Promise<PullProject> {
  const made = await scripted(attempts);
  const { project, git } = made;
  const github = await fakeGithub();
  git('branch', '-M', 'main');
  const bare = join(project.home, 'origin.git');
  execFileSync('git', ['clone', '-q', '--bare', project.root, bare], { stdio: 'ignore' });
  git('remote', 'add', 'origin', bare);
  github.repository = bare;
  await made.config(
    [
      `gates: [{ name: test, command: ${JSON.stringify(gate)} }]`,
      'land: { target: pull_request, branch: main }',
      `github: { api: "${github.api}", repository: octo/shelf }`,
      more,
    ].join('\n'),
  );
  const env = { HOME: project.home, PATH: process.env['PATH'], GH_ENTERPRISE_TOKEN: github.token ?? '' };
  const ralph = (...args: string[]): Promise<Ran> => runWithin(args, { cwd: project.root, env });
  return {
    ...made,
    github,
    at: (...args) => execFileSync('git', ['-C', bare, ...args], { encoding: 'utf8' }).trim(),
    ralph,
    json: async (...args) => JSON.parse((await ralph(...args, '--json')).stdout) as Record<string, unknown>,
    pull: () => {
      const [pull, ...others] = github.pulls;
      if (pull === undefined || others.length > 0) throw new Error(`${github.pulls.length} pull requests`);
      return pull;
    },
    push: (branch, file, text) => {
      const other = join(project.home, `other-${crypto.randomUUID()}`);
      const run = (cwd: string, ...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', ...args], {
          cwd,
          stdio: 'ignore',
          env: { HOME: project.home, PATH: process.env['PATH'] },
        });
      run(project.home, 'clone', '-q', '-b', branch, bare, other);
      writeFileSync(join(other, file), text);
      run(other, 'add', '.');
      run(other, 'commit', '-qm', 'A commit of Kim');
      run(other, 'push', '-q');
    },
  };
}
