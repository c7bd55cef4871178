// The real command in a process of its own, from an empty environment; and the same code without one, to set a scene and to look at it.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { inject } from 'vitest';
import type { World } from '../../src/app/world.ts';
import { runCommand } from '../../src/cli/command-line.ts';
import type { Print } from '../../src/cli/program.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { visible } from '../../src/domain/text/text.ts';
import { tempDir } from './temp.ts';

export type Ran = { code: number; stdout: string; stderr: string };

export type TestProject = {
  root: string;
  home: string;
  /** What its processes are started with, where that is more than a home and a path. */
  env?: Record<string, string>;
  ralph: (...args: string[]) => Promise<Ran>;
  /** The same without a process of its own, which would take most of its time: for what is not about processes. */
  within: (...args: string[]) => Promise<Ran>;
  /** The parsed output of a command that must succeed, run within the test. */
  json: (...args: string[]) => Promise<unknown>;
};

/** A git repository and a home of its own, both gone when the test ends. */
export function testProject({ git = true }: { git?: boolean } = {}): TestProject {
  const folder = tempDir();
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
  mkdirSync(root);
  mkdirSync(home);
  if (git) execFileSync('git', ['init', '-q', root], { env: { HOME: home, PATH: process.env['PATH'] } });
  const options = { cwd: root, env: { HOME: home, PATH: process.env['PATH'] } };
  return {
    root,
    home,
    ralph: (...args) => runRalph(args, options),
    within: (...args) => runWithin(args, options),
    json: async (...args) => {
      const { code, stdout, stderr } = await runWithin([...args, '--json'], options);
      if (code !== 0) throw new Error(`ralph ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}

export type Person = {
  /** What they answer to each question; without it nobody is at a terminal. */
  ask?: (question: string) => Promise<string>;
  stdin?: string;
  /** Their clock, where the time must not pass by itself. */
  now?: () => number;
  /** What they see, as soon as it is there. */
  onPrint?: (text: string) => void;
};

/** The same code without a process of its own. */
export async function runWithin(
  args: readonly string[],
  { cwd, env, ...person }: { cwd: string; env: World['env'] } & Person,
): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const print = {
    out: (text: string) => {
      said.stdout += text;
      person.onPrint?.(text);
    },
    err: (text: string) => {
      said.stderr += text;
    },
  };
  try {
    const code = await runCommand(['node', 'ralph', ...args], worldFor(cwd, env, print, person), print);
    return { code, ...said };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: 1, ...said, stderr: `${said.stderr}ralph: ${visible(error.message)}\n` };
  }
}

/** Nothing that lasts, and nobody who presses Ctrl-C: a run or a server needs a process of its own. */
function worldFor(
  cwd: string,
  env: World['env'],
  print: Print,
  { ask, stdin = '', now = Date.now }: Person,
): World {
  const needsProcess = (): never => {
    throw new Error('This command needs a process of its own.');
  };
  return {
    cwd,
    env,
    now,
    version: '0.0.0',
    program: { node: process.execPath, script: inject('ralph') },
    terminal: { columns: Number.POSITIVE_INFINITY, color: false, ask: ask ?? null },
    pipes: {
      stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
      takeStdout: needsProcess,
      log: print.err,
      print: print.out,
      screen: null,
      interrupts: () => ({ after: new AbortController().signal, now: new AbortController().signal }),
      exit: needsProcess,
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
