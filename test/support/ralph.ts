// The real command in a process of its own, from an empty environment.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { tempDir } from './temp.ts';

export type Ran = { code: number; stdout: string; stderr: string };

export type TestProject = {
  root: string;
  home: string;
  ralph: (...args: string[]) => Promise<Ran>;
  /** The parsed output of a command that must succeed. */
  json: (...args: string[]) => Promise<unknown>;
};

/** A git repository and a home of its own, both gone when the test ends. */
export function testProject({ git = true }: { git?: boolean } = {}): TestProject {
  const folder = tempDir();
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
  mkdirSync(root);
  mkdirSync(home);
  if (git) execFileSync('git', ['init', '-q', root], { env: { HOME: home, PATH: process.env['PATH'] } });
  const ralph = (...args: string[]) =>
    runRalph(args, { cwd: root, env: { HOME: home, PATH: process.env['PATH'] } });
  return {
    root,
    home,
    ralph,
    json: async (...args) => {
      const { code, stdout, stderr } = await ralph(...args, '--json');
      if (code !== 0) throw new Error(`ralph ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}

export async function initialised(options?: { git?: boolean }): Promise<TestProject> {
  const project = testProject(options);
  await project.json('init', '--yes');
  return project;
}

export function runRalph(
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Ran> {
  return run(process.execPath, [inject('ralph'), ...args], options);
}

export function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Ran> {
  return new Promise((done) => {
    const child = execFile(
      command,
      [...args],
      { ...options, maxBuffer: 2 ** 30 },
      (error, stdout, stderr) => {
        done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}
