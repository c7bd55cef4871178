// The git remote of a fleet: a bare repository behind a daemon of git's own, which can be told to refuse.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../postgres.ts';

export type FleetRemote = {
  readonly bare: string;
  readonly port: number;
  refuse(refs: 'all' | 'work'): void;
  accept(): void;
  /** As the administrator of a server does: a push that broke off may have left its lock. */
  removeLocks(): void;
  close(): void;
};

/** The name that every machine knows it by; the git configuration of each says which port that is. */
export const REMOTE_URL = 'git://fleet.invalid/origin.git';

const LOOK_EVERY_MS = 10;

/** Its group ends with its input, and so with the harness, however that ends. */
const WITH_THE_HARNESS = '"$@" </dev/null & cat; kill -9 0';

const hook = (file: string): string => `#!/bin/sh
[ -e '${file}' ] || exit 0
while read -r old new ref; do
  case "$(cat '${file}') $ref" in
    all*|'work refs/ralph/'*) echo "the remote refuses $ref for now" >&2; exit 1 ;;
  esac
done
`;

export async function startRemote(
  folder: string,
  source: string,
  env: Readonly<Record<string, string>>,
): Promise<FleetRemote> {
  const bare = join(folder, 'origin.git');
  execFileSync('git', ['clone', '-q', '--bare', source, bare], { env });
  const file = join(folder, 'refuses');
  writeFileSync(join(bare, 'hooks/pre-receive'), hook(file));
  chmodSync(join(bare, 'hooks/pre-receive'), 0o755);
  const port = await freePort();
  const args = ['daemon', '--reuseaddr', '--export-all', '--enable=receive-pack', '--listen=127.0.0.1'];
  const git = ['git', ...args, `--port=${port}`, `--base-path=${folder}`, folder];
  const daemon = spawn('sh', ['-c', WITH_THE_HARNESS, 'daemon', ...git], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own group: git starts the daemon as a process of its own.
    detached: true,
  });
  await answering(daemon, port);
  return {
    bare,
    port,
    refuse: (refs) => writeFileSync(file, refs),
    accept: () => rmSync(file, { force: true }),
    removeLocks: () => {
      const files = readdirSync(bare, { recursive: true, encoding: 'utf8' });
      for (const name of files.filter((path) => path.endsWith('.lock')))
        rmSync(join(bare, name), { force: true });
    },
    close: () => void daemon.stdin.end(),
  };
}

async function answering(daemon: ChildProcess, port: number): Promise<void> {
  while (daemon.exitCode === null) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
        .once('connect', () => resolve(true))
        .once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error('git daemon did not start.');
}
