// The sandbox of a run: what it was opened with, and how it encloses a command.
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SandboxConfig, SandboxLevel } from '../../domain/config.ts';
import { loopbackPorts, type Refused } from '../../domain/sandbox/hosts.ts';
import { type Environment, resolveCommand } from '../processes/spawn.ts';
import { runtimeBase } from '../runtime-folder.ts';
import { type BashRules, bashRules } from './bash-rules.ts';
import { bwrapArguments, type Mount } from './bwrap.ts';
import { openClientHome } from './client-home.ts';
import { type Guarded, isBelow } from './guarded.ts';
import type { Inmate, Inside } from './inside.ts';
import { openProxy } from './proxy.ts';
import { namedMounts, wallMounts } from './wall.ts';

export type Sandbox = {
  readonly level: SandboxLevel;
  /** For the client's own sandbox; null at other levels. */
  readonly bash: BashRules | null;
  /** All connections that it refused until now. */
  readonly refused: Refused;
  /** Null where commands run as they are. */
  enclose(inside: Inside): Enclosure | null;
};

/** Turns a command into one that runs in the sandbox. */
export type Enclosure = (command: readonly string[], options: EncloseOptions) => Promise<Enclosed>;

export type EncloseOptions = {
  cwd: string;
  env: Environment;
  /** More of the machine that this command needs. */
  mounts?: readonly Mount[];
  /** Where each refused connection gets a line. */
  refusedFile?: string | undefined;
};

type Enclosed = {
  command: readonly string[];
  env: Environment;
  /** Whether its end is reported on file descriptor 3, and nothing survives it. */
  isWalled: boolean;
  refused: Refused;
  over(): Promise<void>;
};

export type SandboxInput = {
  level: SandboxLevel;
  config: SandboxConfig;
  env: Environment;
  guarded: Guarded;
  /** Node, and Ralph's script: the sandbox holds the one and the program beside the other. */
  program: { node: string; script: string };
  /** Hosts besides those of the configuration. */
  hosts: Readonly<Record<Inmate, readonly string[]>>;
};

export function openSandbox(input: SandboxInput): Sandbox {
  const { level, config } = input;
  const refused = new Map<string, number>();
  const enclose = (inside: Inside): Enclosure | null => {
    switch (level) {
      case 'off':
      case 'bash':
        return null;
      case 'command':
        return async (command, { env }) => ({
          command: [...config.command, ...command],
          env: { ...env, RALPH_SANDBOXED: inside.inmate },
          isWalled: false,
          refused: new Map(),
          over: async () => {},
        });
      case 'process':
        return (command, options) => encloseProcess(input, inside, command, options, refused);
    }
  };
  const { env, guarded, hosts } = input;
  const bash = level === 'bash' ? bashRules(guarded, env, [...config.network, ...hosts.gate]) : null;
  return { level, bash, refused, enclose };
}

/** `socket`: of the proxy. `ports`: of the machine, which the command finds on its own loopback. */
export type InitOptions = { socket: string; ports: readonly number[] };

/** Of the log of refused connections. */
const MAX_LINES = 10_000;

/** Where the socket of the proxy is inside. */
const RUNTIME = '/run/ralph';

async function encloseProcess(
  input: SandboxInput,
  inside: Inside,
  command: readonly string[],
  options: EncloseOptions,
  total: Map<string, number>,
): Promise<Enclosed> {
  const ends: (() => Promise<unknown>)[] = [];
  const over = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await openEnclosed(input, inside, command, options, total, ends)), over };
  } catch (error) {
    await over();
    throw error;
  }
}

/** `ends`: gets what has to happen when the command is over. */
async function openEnclosed(
  { config, env: own, guarded, program, hosts }: SandboxInput,
  inside: Inside,
  [file = '', ...args]: readonly string[],
  { cwd, env, mounts: more = [], refusedFile }: EncloseOptions,
  total: Map<string, number>,
  ends: (() => Promise<unknown>)[],
): Promise<Omit<Enclosed, 'over'>> {
  const folder = await mkdtemp(join(runtimeBase(own), 'p'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const allowed = [...config.network, ...hosts[inside.inmate]];
  let lines = 0;
  const proxy = await openProxy({
    socket: join(folder, 'proxy'),
    allowed,
    env: own,
    onRefused: (address) => {
      total.set(address, (total.get(address) ?? 0) + 1);
      lines += 1;
      if (refusedFile !== undefined && lines <= MAX_LINES)
        void appendFile(refusedFile, `${address}\n`).catch(() => {});
    },
  });
  ends.push(() => proxy.close());
  const isAgent = inside.inmate === 'agent';
  const home = isAgent ? inside.home : null;
  if (home !== null && inside.isBrief === true) ends.push(() => rm(home, { recursive: true, force: true }));
  const client = home === null ? null : await openClientHome(home, own);
  if (client !== null) ends.push(() => client.close());
  const shown = inside.mounts();
  const init: InitOptions = { socket: join(RUNTIME, 'proxy'), ports: loopbackPorts(allowed) };
  const command = resolveCommand(file, env);
  const named = namedMounts(guarded, own, [program.node, dirname(program.script)], [command, ...args]);
  const mounts = [
    ...(await wallMounts({ config, env: own, guarded }, inside.home, env, named)),
    ...shown,
    ...more,
    { kind: 'read', path: RUNTIME, from: folder } as const,
  ];
  const script = join(dirname(program.script), 'sandbox-init.mjs');
  return {
    command: [
      ...['bwrap', ...bwrapArguments(mounts, cwd)],
      ...['--', program.node, script, JSON.stringify(init), command, ...args],
    ],
    // Claude Code does not bypass permissions as root unless it is told that it is in a sandbox.
    env: { ...insideEnvironment(env, [...shown, ...more], inside.home), ...(isAgent && { IS_SANDBOX: '1' }) },
    isWalled: true,
    refused: proxy.refused,
  };
}

/** Folders that are not in the sandbox, or that would be shared with the person's own programs. */
const OUTSIDE = [
  ...[
    'XDG_RUNTIME_DIR',
    'XDG_STATE_HOME',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'SSH_AUTH_SOCK',
  ],
  ...['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY'],
];

function insideEnvironment(env: Environment, mounts: readonly Mount[], home: string | null): Environment {
  const isThere = (path: string | undefined): boolean =>
    path !== undefined && mounts.some((mount) => mount.kind === 'write' && isBelow(mount.path, path));
  const dropped = home === null ? OUTSIDE.filter((name) => name !== 'XDG_CONFIG_HOME') : OUTSIDE;
  const passedOn = Object.entries(env).filter(([name, value]) => !dropped.includes(name) || isThere(value));
  return { ...Object.fromEntries(passedOn), TMPDIR: isThere(env['TMPDIR']) ? env['TMPDIR'] : '/tmp' };
}
