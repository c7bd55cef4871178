// The fleet of one round: a queue on PostgreSQL, a remote, machines, and the laptop of a person who has a clone, too.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endAtExit } from '../processes.ts';
import type { Programs } from '../project.ts';
import { scriptedAgent, writeProject } from '../project.ts';
import { HEARTBEAT_MS, LEASE_MS } from './disturbance.ts';
import { gitConfig, type Machine, makeMachine } from './machine.ts';
import type { FleetPlan } from './plan.ts';
import { type FleetRemote, REMOTE_URL, startRemote } from './remote.ts';
import type { FleetServer } from './server.ts';

/**
 * A machine could not renew its lease, by the clock of this process. `to`: null while that goes on, and for ever where its worker
 * died: whatever is started there later is another run.
 */
export type Absence = { host: string; from: number; to: number | null };

export type FleetScene = {
  readonly folder: string;
  /** Where the harness writes what it sees. */
  readonly ledger: string;
  readonly server: FleetServer;
  readonly url: string;
  readonly remote: FleetRemote;
  readonly machines: readonly Machine[];
  readonly absences: Absence[];
  readonly laptop: { root: string; env: Readonly<Record<string, string>> };
  close(options?: { keep?: boolean }): Promise<void>;
};

const CLOCK = resolve(import.meta.dirname, 'clock.mjs');

export async function makeFleet(
  plan: FleetPlan,
  programs: Programs,
  server: FleetServer,
): Promise<FleetScene> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-fleet-')));
  const [ledger, home, root, run] = ['ledger', 'home', 'laptop', 'run'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const place of [ledger, home, root, run]) mkdirSync(place, { mode: 0o700 });
  const url = await server.makeQueue();
  const person = { HOME: home, PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: run, RALPH_SANDBOX: 'off' };
  const env = { ...person, RALPH_DATABASE_URL: url };
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
  writeFileSync(join(home, '.gitconfig'), gitConfig(0));
  writeProject({ root, ledger }, plan, settings(programs, ledger));
  writeFileSync(join(root, 'shared.txt'), 'As it was.\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'Begin');
  const remote = await startRemote(folder, root, env);
  writeFileSync(join(home, '.gitconfig'), gitConfig(remote.port));
  git('remote', 'add', 'origin', REMOTE_URL);
  const print = [programs.ralph, 'trust', '--print', '--json'];
  const { value } = JSON.parse(execFileSync(process.execPath, print, { cwd: root, env, encoding: 'utf8' }));
  const machines = await Promise.all(
    plan.machines.map(({ clockHours, jobs }, number) =>
      makeMachine({
        number,
        folder,
        ports: { database: server.port, remote: remote.port },
        ralph: [process.execPath, ...(clockHours === 0 ? [] : ['--import', CLOCK]), programs.ralph],
        jobs,
        env: (port) => ({
          RALPH_SANDBOX: 'off',
          RALPH_CHAOS_HOURS: String(clockHours),
          RALPH_TRUST: value,
          RALPH_DATABASE_URL: url.replace(`:${server.port}/`, `:${port}/`),
        }),
      }),
    ),
  );
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const outlive = endAtExit(remove);
  return {
    folder,
    ledger,
    server,
    url,
    remote,
    machines,
    absences: [],
    laptop: { root, env: { ...env, RALPH_TRUST: value } },
    close: async ({ keep = false } = {}) => {
      await Promise.all(machines.map((machine) => machine.close()));
      remote.close();
      outlive();
      if (!keep) remove();
    },
  };
}

const settings = (programs: Programs, ledger: string): string =>
  `${scriptedAgent(programs, ledger)}land: { remote: origin, branch: main }
fleet: { lease_seconds: ${LEASE_MS / 1_000}, heartbeat_seconds: ${HEARTBEAT_MS / 1_000} }
`;
