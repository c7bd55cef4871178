// Whether this machine can build the wall of `process`, and if not, why and what to do about it.
import { existsSync, readFileSync } from 'node:fs';
import { findExecutable } from '../processes/find-executable.ts';
import { type Environment, runToEnd } from '../processes/spawn.ts';
import { BASE } from './bwrap.ts';

export type Probe = { works: true } | { works: false; reason: string; fix: string };

const TIMEOUT_MS = 20_000;

/** By the path on which bubblewrap is looked for. */
const cachedProbes = new Map<string, Promise<Probe>>();

/** Once a process: neither the kernel nor its settings change while Ralph runs. */
export function probeProcess(env: Environment): Promise<Probe> {
  const path = env['PATH'] ?? '';
  const probing = cachedProbes.get(path) ?? probe(env);
  cachedProbes.set(path, probing);
  return probing;
}

async function probe(env: Environment): Promise<Probe> {
  if (process.platform !== 'linux')
    return {
      works: false,
      reason: 'namespaces exist on Linux only',
      fix: 'On this system use `sandbox: bash`, or run Ralph in a container or a virtual machine.',
    };
  const bwrap = findExecutable('bwrap', env['PATH']);
  if (bwrap === null)
    return { works: false, reason: 'bubblewrap is not installed', fix: installText(osIds(readOrNull)) };
  const { code, stderr } = await runToEnd(bwrap, [...BASE, '--', 'true'], {
    cwd: '/',
    env: { PATH: env['PATH'] },
    timeoutMs: TIMEOUT_MS,
  });
  if (code === 0) return { works: true };
  const message = stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  return {
    works: false,
    reason: `bubblewrap failed (${message || `code ${code}`})`,
    fix: failureFix(readOrNull),
  };
}

type ReadFile = (path: string) => string | null;

/** Of the distribution, and of those that it is made from. */
export function osIds(read: ReadFile): string[] {
  const text = read('/etc/os-release') ?? '';
  const values = [...text.matchAll(/^(?:ID|ID_LIKE)=(.*)$/gm)].map((match) => match[1] ?? '');
  return values.flatMap((value) => value.replaceAll('"', '').split(' ')).filter(Boolean);
}

const INSTALL: readonly (readonly [id: string, command: string])[] = [
  ['debian', 'sudo apt install bubblewrap'],
  ['ubuntu', 'sudo apt install bubblewrap'],
  ['fedora', 'sudo dnf install bubblewrap'],
  ['rhel', 'sudo dnf install bubblewrap'],
  ['arch', 'sudo pacman -S bubblewrap'],
  ['suse', 'sudo zypper install bubblewrap'],
  ['opensuse', 'sudo zypper install bubblewrap'],
  ['alpine', 'sudo apk add bubblewrap'],
];

export function installText(ids: readonly string[]): string {
  const found = INSTALL.find(([id]) => ids.includes(id));
  return found === undefined ? 'Install the package bubblewrap.' : `Install it: ${found[1]}`;
}

/** Ubuntu 24.04 and later: user namespaces are for programs with a profile only. */
const PROFILE = [
  'abi <abi/4.0>,',
  'include <tunables/global>',
  'profile bwrap /usr/bin/bwrap flags=(unconfined) {',
  '  userns,',
  '  include if exists <local/bwrap>',
  '}',
];

const isOn = (read: ReadFile, path: string, value: string): boolean => read(path)?.trim() === value;

export function failureFix(read: ReadFile, exists: (path: string) => boolean = existsSync): string {
  if (isOn(read, '/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'))
    return `AppArmor keeps bwrap from making namespaces. Write these lines to /etc/apparmor.d/bwrap, then run: sudo systemctl reload apparmor\n${PROFILE.join('\n')}`;
  if (isOn(read, '/proc/sys/kernel/unprivileged_userns_clone', '0'))
    return 'The kernel allows no user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1';
  if (isOn(read, '/proc/sys/user/max_user_namespaces', '0'))
    return 'The kernel allows no user namespaces: sudo sysctl -w user.max_user_namespaces=15000';
  if (exists('/.dockerenv') || exists('/run/.containerenv'))
    return 'This container may make no namespaces. Start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or let the container itself be the wall and say `sandbox: off`.';
  return 'Try it by hand: bwrap --ro-bind / / --proc /proc --dev /dev --unshare-all true';
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
