import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { identify } from '../../src/host/processes/process-identity.ts';
import { openRuntimeFolder, type RuntimeFolder } from '../../src/host/runtime-folder.ts';
import { tempDir } from '../support/temp.ts';

async function opened(XDG_RUNTIME_DIR: string): Promise<RuntimeFolder> {
  const runtime = await openRuntimeFolder({ XDG_RUNTIME_DIR });
  onTestFinished(runtime.remove);
  return runtime;
}

it('sessions reach Ralph below XDG_RUNTIME_DIR, in folders of their own, and nothing is left of them', async () => {
  const folder = tempDir();
  const runtime = await opened(folder);
  expect(runtime.socket).toMatch(new RegExp(`^${folder}/ralph/[0-9a-f]{8}\\.sock$`));
  const sessions = [await runtime.newSession(), await runtime.newSession()];
  expect(new Set(sessions).size).toBe(2);
  expect(sessions.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  await runtime.remove();
  expect(readdirSync(join(folder, 'ralph'))).toEqual([]);
});

it.each<[string, (place: string) => void]>([
  ['others can read', (place) => mkdirSync(place, { mode: 0o755 })],
  ['is a link', (place) => symlinkSync(tempDir(), place)],
  ['is a file', (place) => writeFileSync(place, '')],
])('a folder that %s is not used', async (_, make) => {
  const folder = tempDir();
  make(join(folder, 'ralph'));
  const { socket } = await opened(folder);
  expect(dirname(socket)).not.toContain(folder);
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
});

it('a folder whose path is too long for a socket is not used', async () => {
  const { socket } = await opened(join(tempDir(), 'x'.repeat(100)));
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(107);
});

it('a start removes what a dead process left, and nothing of one that is alive or cannot be seen', async () => {
  const base = join(tempDir(), 'ralph');
  mkdirSync(base, { mode: 0o700 });
  const leave = (name: string, owner: object): void => {
    writeFileSync(join(base, `${name}.json`), JSON.stringify(owner));
    writeFileSync(join(base, `${name}.sock`), '');
    mkdirSync(join(base, name, 'session-1'), { recursive: true });
    writeFileSync(join(base, name, 'session-1/mcp.json'), '{}');
  };
  const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
  leave('dead', { ...identify(process.pid), pid, process_started: '1' });
  leave('alive', identify(process.pid));
  leave('elsewhere', { ...identify(pid), host: 'another', pid_namespace: 'pid:[1]', boot: 'x' });
  const { socket } = await opened(dirname(base));
  const own = socket.replace(/\.sock$/, '');
  const names = ['dead', 'alive', 'elsewhere'].filter((name) => existsSync(join(base, name)));
  expect(names).toEqual(['alive', 'elsewhere']);
  expect(readdirSync(base).filter((name) => name.startsWith('dead'))).toEqual([]);
  expect(existsSync(own)).toBe(true);
});
