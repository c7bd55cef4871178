// One machine of a fleet: a pid, host name and boot of its own, a home, a clone, and links to the servers that can be cut.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeGitShim } from '../disturb/git-call.ts';
import { endAtExit, type Process, pidNamespace, processesIn, signal } from '../processes.ts';
import type { Link } from './disturbance.ts';
import { haltingShim } from './landing-push.ts';
import { REMOTE_URL } from './remote.ts';
import { startWire, type Wire } from './wire.ts';

export type Machine = {
  readonly name: string;
  /** Home, clone, temporary files. */
  readonly folder: string;
  readonly clone: string;
  readonly links: Readonly<Record<Link, Wire>>;
  /** What the workers of this machine printed. */
  output(): string;
  isOn(): boolean;
  /** Starts the machine where it is off, and its worker where it has none. */
  start(): Promise<void>;
  /** As a power cut: every process is gone at once. */
  cutPower(): Promise<void>;
  /** The supervisor of its worker; null if there is none. */
  worker(): number | null;
  /** The same, once it has been started where it is about to be. */
  startedWorker(): Promise<number | null>;
  /** Wakes processes of the machine that were stopped. */
  wake(pids: Iterable<number>): void;
  /** All but the first process of the machine. */
  processes(): Process[];
  /** The exit code of the worker. */
  ended(): Promise<number | null>;
  /** Starts Ralph once on this machine, without a worker beside it. */
  run(args: readonly string[], timeoutMs: number): Promise<{ code: number | null; output: string }>;
  close(): Promise<void>;
};

export type MachineInput = {
  number: number;
  folder: string;
  ports: Readonly<Record<Link, number>>;
  /** How Ralph is started there. */
  ralph: readonly string[];
  jobs: number;
  /** Given the port at which the machine reaches the database. */
  env(databasePort: number): Readonly<Record<string, string>>;
};

const UNSHARE = ['--pid', '--uts', '--mount', '--fork', '--mount-proc', '--kill-child'];

/**
 * The first process: it collects what others leave, and ends with the harness, however that ends: then its input does. Every start is
 * another boot.
 */
const INIT =
  'mount --bind "$1" /proc/sys/kernel/random/boot_id && hostname "$2" && echo ready && { exec 3<&0; cat <&3 & wait $!; }';

/** The sentence says why this system has no machines of this kind; null if it has. */
export const machineProblem = (): string | null =>
  spawnSync('unshare', [...UNSHARE, 'hostname', 'probe']).status === 0
    ? null
    : 'it takes root on Linux, for pid namespaces of their own (unshare)';

const LOOK_EVERY_MS = 20;

type Started = { child: ChildProcess; ended: Promise<number | null> };
type Power = { holder: ChildProcess; init: number; namespace: string };

export async function makeMachine({
  number,
  folder: parent,
  ports,
  ralph,
  jobs,
  env,
}: MachineInput): Promise<Machine> {
  const name = `machine-${number}`;
  const folder = join(parent, name);
  const [home, clone, bootFile] = [join(folder, 'home'), join(folder, 'clone'), join(folder, 'boot')];
  for (const place of [folder, home, join(folder, 'tmp')]) mkdirSync(place);
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  const links = { database: await startWire(ports.database), remote: await startWire(ports.remote) };
  writeFileSync(join(home, '.gitconfig'), gitConfig(links.remote.port));
  const PATH = `${writeGitShim(folder, folder, haltingShim(folder))}${delimiter}${process.env['PATH'] ?? ''}`;
  const own = { HOME: home, PATH, XDG_RUNTIME_DIR: join(folder, 'run'), TMPDIR: join(folder, 'tmp') };
  let power: Power | null = null;
  let running: Started | null = null;
  let output = '';

  const turnOn = async (): Promise<Power> => {
    writeFileSync(bootFile, `${randomUUID()}\n`);
    const holder = spawn('unshare', [...UNSHARE, 'sh', '-c', INIT, 'init', bootFile, name], {
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await new Promise<void>((ready, fail) => {
      holder.stdout?.once('data', () => ready());
      holder.once('exit', () => fail(new Error(`${name} did not start.`)));
    });
    const init = findChild(holder.pid ?? 0);
    if (init === null) throw new Error(`${name} has no first process.`);
    return { holder, init, namespace: pidNamespace(init) };
  };

  const enter = ({ init }: Power, folderInside: string, args: readonly string[]): Started => {
    const inside = ['-t', String(init), '-p', '-m', '-u', `--wd=${folderInside}`, '--'];
    const child = spawn('nsenter', [...inside, ...ralph, ...args], {
      env: { ...own, ...env(links.database.port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        appendFileSync(join(folder, 'output.log'), text);
      });
    return { child, ended: new Promise((over) => child.once('exit', over)) };
  };

  const startWorker = (on: Power): void => {
    const args = ['worker', '--json', '--jobs', String(jobs), '--clone', REMOTE_URL, clone];
    const self = enter(on, folder, args);
    running = self;
    void self.ended.then(() => {
      if (running === self) running = null;
    });
  };

  const cutPower = async (): Promise<void> => {
    if (power === null) return;
    const { holder, init } = power;
    power = null;
    const gone = new Promise((over) => holder.once('exit', over));
    signal(init, 'SIGKILL');
    await gone;
    await running?.ended;
  };

  const worker = (): number | null => (running === null ? null : findChild(running.child.pid ?? 0));

  // At once, so that its files can be removed.
  const outlive = endAtExit(() => void (power !== null && signal(power.init, 'SIGKILL')));
  return {
    name,
    folder,
    clone,
    links,
    output: () => output,
    isOn: () => power !== null,
    start: async () => {
      power ??= await turnOn();
      if (running === null) startWorker(power);
    },
    cutPower,
    worker,
    startedWorker: async () => {
      while (running !== null && worker() === null) await pause(LOOK_EVERY_MS);
      return worker();
    },
    wake: (pids) => {
      for (const pid of pids) signal(pid, 'SIGCONT');
      // It stops when its child does, and would never tell of the child's end.
      if (running !== null) signal(running.child.pid ?? 0, 'SIGCONT');
    },
    processes: () =>
      power === null
        ? []
        : processesIn(power.namespace).filter(
            ({ pid, parent, command: text }) =>
              pid !== power?.init && !(parent === power?.init && text === 'cat'),
          ),
    ended: async () => running?.ended ?? null,
    run: async (args, timeoutMs) => {
      power ??= await turnOn();
      const before = output.length;
      const { child, ended } = enter(power, clone, args);
      const late = setTimeout(() => signal(findChild(child.pid ?? 0) ?? 0, 'SIGKILL'), timeoutMs);
      const code = await ended;
      clearTimeout(late);
      return { code, output: output.slice(before) };
    },
    close: async () => {
      outlive();
      await cutPower();
      for (const link of Object.values(links)) link.close();
    },
  };
}

function findChild(pid: number): number | null {
  try {
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return first === '' ? null : Number(first);
  } catch {
    return null;
  }
}

export const gitConfig = (port: number): string =>
  `[user]\n\tname = A Person\n\temail = person@example.com\n[url "git://127.0.0.1:${port}/"]\n\tinsteadOf = ${REMOTE_URL.replace('origin.git', '')}\n`;
