// The real command in a process of its own, from an empty environment; and the same code without one, to set a scene and to look at it.
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** What is not about the sandbox runs without one: scripted agents meet the test in a home that both see. */
export const WITHOUT_SANDBOX = { RALPH_SANDBOX: 'off' };

/** A person's git that starts nothing after a commit: `git maintenance` takes longer than the commit. */
export const WITHOUT_MAINTENANCE = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
};

/** A git repository and a home of its own, both gone when the test ends. */
export const testProject = ({ git = true }: { git?: boolean } = {}): TestProject =>
  makeProject(tempDir(), git);

function makeProject(folder: string, git: boolean): TestProject {
  const project = projectIn(folder);
  const { root, home } = project;
  mkdirSync(root);
  mkdirSync(home);
  if (git) execFileSync('git', ['init', '-q', root], { env: { HOME: home, PATH: process.env['PATH'] } });
  return project;
}

function projectIn(folder: string): TestProject {
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
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
  /** Whether their terminal shows colours. */
  color?: boolean;
  /** How wide it is; no line is too long without it. */
  columns?: number;
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
    const world = worldFor(cwd, { ...WITHOUT_SANDBOX, ...env }, print, person);
    const code = await runCommand(['node', 'ralph', ...args], world, print);
    return { code, ...said };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: 1, ...said, stderr: `${said.stderr}ralph: ${visible(error.message)}\n` };
  }
}

/** Nobody presses Ctrl-C, and nothing takes the streams: what needs that needs a process of its own. */
export function worldFor(
  cwd: string,
  env: World['env'],
  print: Print,
  { ask, stdin = '', now = Date.now, color = false, columns = Number.POSITIVE_INFINITY }: Person = {},
): World {
  const needsProcess = (): never => {
    throw new Error('This command needs a process of its own.');
  };
  return {
    cwd,
    env,
    now,
    version: '0.0.0',
    commit: null,
    program: { node: process.execPath, script: inject('ralph') },
    terminal: { columns, color, ask: ask ?? null },
    // The person of a test sits at a terminal, whatever it starts the tests with; processes of their own show what is without one.
    hasTerminal: () => true,
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

/** Every session starts from a commit. */
export function commitNothing({ root, home }: Pick<TestProject, 'root' | 'home'>): void {
  const env = { HOME: home, PATH: process.env['PATH'], ...WITHOUT_MAINTENANCE };
  const person = ['-c', 'user.name=P', '-c', 'user.email=p@example.com'];
  execFileSync('git', [...person, 'commit', '-q', '--allow-empty', '-m', 'Start'], { cwd: root, env });
}

/**
 * After `ralph init`, with one commit without files. Only the first one of a worker is set up; all others are copies of it.
 * `isNew`: its person began the queue on purpose, so that the first command need not ask git for traces of an earlier one.
 */
export async function initialised({ git = true, isNew = true } = {}): Promise<TestProject> {
  const kind = `${git} ${isNew}`;
  const ready = prototypes.get(kind) ?? initialise(git, isNew);
  prototypes.set(kind, ready);
  const prototype = await ready;
  const project = projectIn(tempDir());
  cpSync(prototype.root, project.root, { recursive: true });
  mkdirSync(project.home);
  // The configuration of its server names its place.
  const config = join(project.root, 'ralph.json');
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll(prototype.root, project.root));
  return project;
}

const prototypes = new Map<string, Promise<TestProject>>();

/** Beside the programs of all tests, which are removed when the last one has ended. */
async function initialise(git: boolean, isNew: boolean): Promise<TestProject> {
  const project = makeProject(mkdtempSync(join(dirname(inject('worker')), 'project-')), git);
  await project.json('init', '--yes', ...(isNew ? ['--new-queue'] : []));
  if (git) commitNothing(project);
  return project;
}

export function runRalph(
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Ran> {
  const env = { ...WITHOUT_SANDBOX, ...options.env };
  return run(process.execPath, [inject('ralph'), ...args], { ...options, env });
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
