// What an attack is, and how one tells what became of it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ran } from '../support/ralph.ts';

export type Level = 'off' | 'bash' | 'process';

/**
 * `held`: it had no effect. `seen`: it had one, but Ralph says so at the next command and believes nothing of it. `succeeds`: the
 * level does not keep an agent from it.
 */
export type Outcome = 'held' | 'seen' | 'succeeds';

export type AttackScene = {
  root: string;
  home: string;
  stateDir: string;
  /** Ralph's program. */
  ralph: string;
  /** Of Ralph's own records. */
  ralphState: string;
  /** Where sessions at work have their files. */
  runtime: string;
  /** A service of the machine that no list names. */
  port: number;
};

/** What was there when the sessions were over. */
export type Aftermath = {
  /** What the agent saw. */
  output: string;
  /** Whether the service was reached. */
  wasReached: boolean;
  /** Whether the supervisor was killed. */
  wasKilled: boolean;
  /** The definitions in the checkout, before the person dropped what had changed. */
  definitions: string;
  status(task: number): string;
  /** The last result of a gate that Ralph ran for the attacker; null if it ran none. */
  gate(name: string): boolean | null;
  rows(query: string): Record<string, unknown>[];
  /** The next commands: `ralph status`, and `ralph run` before and after the person dropped changes of definitions. */
  next: { status: Ran; run: Ran; runAgain: Ran } | null;
};

export type Attack = {
  name: string;
  /** For people, in the table. */
  what: string;
  /** With Claude Code's own tool instead of a command. */
  tool?: 'Write';
  /** A program that the attack needs. Without it the row is not tried. */
  needs?: 'python3';
  command(scene: AttackScene): string;
  succeeded(scene: AttackScene, after: Aftermath): boolean;
  /** Whether Ralph said so. */
  seen?(scene: AttackScene, after: Aftermath): boolean;
  outcome: Readonly<Record<Level, Outcome>>;
};

export const SECRET = 'a-secret-that-no-agent-may-see';

export const NEVER = { off: 'held', bash: 'held', process: 'held' } as const;
export const ONLY_OFF = { off: 'succeeds', bash: 'held', process: 'held' } as const;
export const SEEN_AT_OFF = { off: 'seen', bash: 'held', process: 'held' } as const;
export const NOT_BASH = { off: 'succeeds', bash: 'succeeds', process: 'held' } as const;

export const reads = (_: AttackScene, { output }: Aftermath): boolean => output.includes(SECRET);
export const contains = (file: string, text: string): boolean =>
  existsSync(file) && readFileSync(file, 'utf8').includes(text);

/** As a person would, with nothing in the environment that tells of the session. */
export const asPerson = ({ root, home, ralph }: AttackScene, words: string): string =>
  `cd ${root} && env -i HOME=${home} PATH="$PATH" ${process.execPath} ${ralph} ${words}`;

export const node = (script: string): string => `${process.execPath} - <<'END'\n${script}\nEND`;

/** Lines of a client that calls one tool. */
export const calls = (name: string, args: unknown): string[] =>
  [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name, arguments: args } },
  ].map((call) => JSON.stringify({ jsonrpc: '2.0', ...call }));

export const inDatabase = ({ stateDir }: Pick<AttackScene, 'stateDir'>): string => join(stateDir, 'ralph.db');
