// The real command in a process of its own, from an empty environment; and the same code without one, to set a scene and to look at it.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { inject } from 'vitest';
import type { World } from '../../src/cli/command.ts';
import { runCommand } from '../../src/cli/command-line.ts';
import type { Print } from '../../src/cli/program.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { visible } from '../../src/domain/text.ts';
import { tempDir } from './temp.ts';

export type Ran = { code: number; stdout: string; stderr: string };

export type TestProject = {
  root: string;
  home: string;
  ralph: (...args: string[]) => Promise<Ran>;
  /** The parsed output of a command that must succeed, run within the test: a process each would take most of its time. */
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
      const env = { HOME: home, PATH: process.env['PATH'] };
      const { code, stdout, stderr } = await runWithin([...args, '--json'], { cwd: root, env });
      if (code !== 0) throw new Error(`ralph ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}

/** The same code without a process of its own. */
export async function runWithin(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: World['env'] },
): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const print = {
    out: (text: string) => {
      said.stdout += text;
    },
    err: (text: string) => {
      said.stderr += text;
    },
  };
  try {
    const code = await runCommand(['node', 'ralph', ...args], worldFor(cwd, env, print), print);
    return { code, ...said };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: 1, ...said, stderr: `${said.stderr}ralph: ${visible(error.message)}\n` };
  }
}

/** What a person would see of it. */
export const within = ({ root, home }: TestProject, ...args: string[]): Promise<Ran> =>
  runWithin(args, { cwd: root, env: { HOME: home, PATH: process.env['PATH'] } });

/** Nobody at a terminal, and nothing that lasts: a run or a server needs a process of its own. */
function worldFor(cwd: string, env: World['env'], print: Print): World {
  const needsProcess = (): never => {
    throw new Error('This command needs a process of its own.');
  };
  return {
    cwd,
    env,
    now: Date.now,
    version: '0.0.0',
    program: { node: process.execPath, script: inject('ralph') },
    terminal: { columns: Number.POSITIVE_INFINITY, color: false, ask: null },
    pipes: {
      stdin: Readable.from([]),
      takeStdout: needsProcess,
      log: print.err,
      print: print.out,
      screen: null,
      interrupts: needsProcess,
      exit: needsProcess,
    },
    supervise: needsProcess,
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
