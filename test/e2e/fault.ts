// What a row of the faults is made of, and the words that several of them use.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Symptom } from '../../src/domain/sessions/agent-failure.ts';
import type { Turn } from '../support/claude.ts';
import { type TestProject, WITHOUT_MAINTENANCE } from '../support/ralph.ts';

/** What Claude Code prints in the place of an answer; null if it prints none. */
export type InStream = { report: Symptom | null };

export type Fault = {
  name: string;
  /**
   * It is the same for every agent: `npm test` plays it with the scripted one, which is cheaper, and `npm run faults` with Claude Code.
   * Both find the same row.
   */
  ofAnyAgent?: true;
  /**
   * Ralph reads it from what the client prints: `npm test` plays it with a client that prints that, and `npm run faults` also checks
   * that Claude Code does.
   */
  inStream?: InStream;
  /** What the model says and does; more sessions than one say the same from the start. */
  turns: (project: TestProject) => Turn[];
  config?: string;
  args?: readonly string[];
  /** Tasks besides the first, which is "Write hello.txt". */
  tasks?: readonly (readonly string[])[];
  /** What lies in the project before. */
  prepare?: (project: TestProject) => void | Promise<void>;
  /** Runs that come after it, each in its folder; the exit code is the last one's. */
  later?: (project: TestProject) => readonly string[];
  /** Where Claude Code itself is not the real one, or not as it should be. */
  path?: (project: TestProject) => string;
  /** The script of another Ralph than the one that was built. */
  ralph?: (project: TestProject) => string;
  /** What else must hold at the end. */
  afterwards?: (project: TestProject) => void | Promise<void>;
  /** Why this machine cannot play it; null if it can. */
  whyNot?: () => string | null;
  /** What the person is told at the end. */
  says?: string;
  /** What else Claude Code finds in its environment; null for what it does not find. `url`: where the model listens. */
  env?: (url: string) => Readonly<Record<string, string | null>>;
};

/** Green before the first session, so that the run begins: only the gates of a session have its name. */
export const gateOf = (command: string): string =>
  `gates: [{ name: test, command: "test -z \\"$RALPH_GATE_OF\\" || ${command}" }]\n`;

export const GATE = gateOf('grep -q hello hello.txt');

export const bash = (command: string): Turn => ({ tool: 'Bash', input: { command, description: 'work' } });
export const verb = (name: string, input: object): Turn => ({ tool: `mcp__ralph__${name}`, input });
export const say = (text: string): Turn => ({ text });
export const done = verb('done', { summary: 'hello.txt says hello.' });
/** By a shell: Claude Code's own Write needs an absolute path, and only the session knows where it works. */
export const write: Turn = bash('echo hello > hello.txt');

/** By a way that no rule can see: the words are in a file, not in the command. */
export const hidden = ({ home }: TestProject, script: string): Turn[] => {
  writeFileSync(join(home, 'tool.sh'), `${script}\n`);
  return [bash('sh ~/tool.sh')];
};

/** The person's own git in their checkout. */
export const gitIn =
  ({ root, home }: TestProject) =>
  (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: root,
      env: { HOME: home, PATH: process.env['PATH'] },
      encoding: 'utf8',
    });

export function commitFile(project: TestProject, path: string, text: string): void {
  writeFileSync(join(project.root, path), text);
  const git = gitIn(project);
  git('add', path);
  git('-c', 'user.name=A Person', '-c', 'user.email=person@example.com', 'commit', '-qm', `Add ${path}`);
}

/** As one process: each that a worker starts costs it more than git itself. */
export const shellIn = ({ root, home }: TestProject, lines: readonly string[]): void => {
  const env = { HOME: home, PATH: process.env['PATH'], ...WITHOUT_MAINTENANCE };
  execFileSync('sh', ['-ec', lines.join('\n')], { cwd: root, env });
};

/** A history of the person's, with the file that the task is about. */
export const committed = (project: TestProject): void =>
  shellIn(project, [
    'git symbolic-ref HEAD refs/heads/main',
    "git config user.name 'A Person'",
    'git config user.email person@example.com',
    "echo 'nothing yet' > hello.txt",
    'git add hello.txt',
    'git commit -qm Begin',
  ]);

/** Of `ralph show --json`. */
export type ShownTask = {
  status: string;
  attempts: number;
  stuck_count: number;
  receipt: { commit: string | null } | null;
  sessions: { id: string; outcome: string | null }[];
};

export const outcome = ({ status, sessions, receipt }: ShownTask): string => {
  const last =
    sessions.length === 0 ? 'not begun' : (sessions.at(-1)?.outcome?.replace('_', ' ') ?? 'left open');
  if (status === 'done') return receipt?.commit === null ? 'done, nothing to commit' : 'done, committed';
  return `${status.replace('_', ' ')} (${last})`;
};

export function charged({ attempts, stuck_count }: ShownTask): string {
  const parts = [
    ...(attempts > 0 ? [`${attempts} of 3 tries`] : []),
    ...(stuck_count > 0 ? [`${stuck_count} of 3 stucks`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

export const commitAs = (project: TestProject, files: Readonly<Record<string, string>>): void => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project.root, name), content);
  const git = gitIn(project);
  git('add', '.');
  git('commit', '-qm', 'More');
};
