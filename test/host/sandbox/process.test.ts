// What holds in a sandbox of the level `process`, tried with gates: agents are enclosed by the same code.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { insideCheckout, insideSlot } from '../../../src/host/sandbox/inside.ts';
import type { Sandbox } from '../../../src/host/sandbox/sandbox.ts';
import { slotAt } from '../../../src/host/slots/slot.ts';
import { lander } from '../../support/landing.ts';
import { gateIn, itEncloses, sandboxFor } from '../../support/sandbox.ts';
import { filled, slotRepository } from '../../support/slots.ts';
import { hasText, pastTimeLimit } from '../../support/time-limit.ts';

async function scene() {
  const repository = await slotRepository();
  const slot = await filled(repository);
  mkdirSync(slot.tmp, { recursive: true });
  const log = (): string => readFileSync(join(repository.folder, 'gate.log'), 'utf8');
  const write = (path: string, text: string): string => {
    const file = join(repository.folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return { repository, slot, log, write };
}

const noMount = (): never => {
  throw new Error('No mount');
};

describe('a command in the sandbox', () => {
  itEncloses(
    'a command in the sandbox works in its slot, with git and its own temporary folder',
    async () => {
      const { repository, slot, log } = await scene();
      const command = 'git log -1 --format=%s && echo x > made.txt && echo y > "$TMPDIR/t" && pwd';
      const result = await gateIn(repository, slot, sandboxFor(repository), command);
      expect(result).toMatchObject({ passed: true, exit_code: 0 });
      expect(log()).toBe(`First\n${slot.root}\n`);
      expect(readFileSync(join(slot.root, 'made.txt'), 'utf8')).toBe('x\n');
    },
  );

  itEncloses(
    'a command in the sandbox reads neither credentials, the state, the checkout nor another slot',
    async () => {
      const { repository, slot, log, write } = await scene();
      const other = slotAt(repository.slots, 'work', 2, 2);
      const files = [
        ...['.ssh/id', '.aws/credentials', '.config/gh/hosts.yml', '.netrc', '.npmrc', '.bash_history'],
        ...['.local/state/ralph/trust/a.json', 'slots/work-2/tree/secret', 'project/.git/ralph/ralph.db'],
        ...[
          'project/.git/config',
          'project/untracked',
          '.claude/.credentials.json',
          '.cargo/credentials.toml',
        ],
      ].map((path) =>
        existsSync(join(repository.folder, path)) ? join(repository.folder, path) : write(path, 'x'),
      );
      expect(files).toContain(join(other.tree, 'secret'));
      const command = `for f in ${[...files, '/etc/shadow', `/proc/${process.pid}/environ`].join(' ')}; do [ -s "$f" ] && cat "$f" >/dev/null 2>&1 && echo "READ $f"; done; echo end`;
      await gateIn(repository, slot, sandboxFor(repository), command);
      expect(log()).toBe('end\n');
    },
  );

  itEncloses(
    'a command in the sandbox writes nothing of the machine, the home or the repository',
    async () => {
      const { repository, slot, log, write } = await scene();
      const own = write('.bashrc', 'mine\n');
      const paths = [own, join(repository.top, 'src/app.js'), join(repository.top, '.git/objects/x')];
      const kernel = ['/proc/sys/kernel/core_pattern', '/sys/kernel/mm/ksm/run', '/proc/sysrq-trigger'];
      const tries = [
        ...[...paths, '/usr/x', '/etc/x'].map((path) => [path, `echo planted > ${path}`]),
        // Opened for writing, and no more: with a hole in the sandbox this would be the machine's own.
        ...kernel.map((path) => [path, `: > ${path}`]),
      ].map(([path, attempt]) => `(${attempt}) 2>/dev/null && echo "WROTE ${path}"`);
      await gateIn(repository, slot, sandboxFor(repository), `${tries.join('; ')}; echo end`);
      expect(readFileSync(own, 'utf8')).toBe('mine\n');
      expect(repository.read('src/app.js')).toBe('one\n');
      // A file in a covered folder can be written: it is gone with the sandbox.
      expect(
        log()
          .split('\n')
          .filter((line) => !line.includes(repository.folder)),
      ).toEqual(['end', '']);
      expect(existsSync(join(repository.top, '.git/objects/x'))).toBe(false);
    },
  );

  itEncloses('a command in the sandbox gets no way around the mounts by namespaces of its own', async () => {
    const { repository, slot, log } = await scene();
    const command =
      "unshare -Urmpf sh -c 'mount -t proc proc /proc; umount /proc/sys; mount -o remount,rw /; (: > /proc/sys/kernel/core_pattern) && echo OPENED; (: > /etc/hostname.planted) && echo WROTE' 2>/dev/null; echo end";
    await gateIn(repository, slot, sandboxFor(repository), command);
    expect(log()).toBe('end\n');
    expect(existsSync('/etc/hostname.planted')).toBe(false);
  });

  itEncloses('a command in the sandbox ends with the code or the signal of the command', async () => {
    const { repository, slot } = await scene();
    const sandbox = sandboxFor(repository);
    expect(await gateIn(repository, slot, sandbox, 'exit 7')).toMatchObject({ passed: false, exit_code: 7 });
    const crashed = await gateIn(repository, slot, sandbox, 'kill -SEGV $$');
    expect(crashed).toMatchObject({ exit_code: null, tail: '(It was ended by SIGSEGV.)' });
    await expect(gateIn(repository, slot, sandbox, 'kill -KILL $$')).rejects.toThrow(
      'ended twice by SIGKILL',
    );
    // The group of a script is its own.
    expect(await gateIn(repository, slot, sandbox, 'trap "" TERM; kill 0; exit 3')).toMatchObject({
      exit_code: 3,
    });
  });

  itEncloses(
    'a command in the sandbox leaves nothing behind, not even a process without an environment',
    async () => {
      const { repository, slot } = await scene();
      const id = `left-behind-${process.pid}`;
      const command = `setsid env -i /bin/bash -c 'echo > made; exec -a ${id} sleep 600' >/dev/null 2>&1 </dev/null & while [ ! -e made ]; do :; done`;
      const result = await gateIn(repository, slot, sandboxFor(repository), command);
      expect(result).toMatchObject({ passed: true });
      // The kernel ends them with the namespace: on a busy machine that takes a moment.
      await expect.poll(() => processes().filter((line) => line.includes(id))).toEqual([]);
    },
  );

  itEncloses('a command in the sandbox has time to end by itself when its time is up', async () => {
    const { repository, slot, log } = await scene();
    const command = 'trap "echo ended; exit 1" TERM; echo > begun; while :; do sleep 0.05; done';
    const result = await pastTimeLimit(
      60_000,
      () => gateIn(repository, slot, sandboxFor(repository), command),
      () => hasText(join(slot.root, 'begun')),
    );
    expect(result.tail).toContain('Ralph ended it after 60 seconds');
    expect(log()).toContain('ended');
  });

  itEncloses(
    'a command in the sandbox finds the tool chains of the home, and cannot change them',
    async () => {
      const { repository, slot, log, write } = await scene();
      const tool = write('.nvm/bin/tool', '#!/bin/sh\necho from nvm\n');
      const command = `. ~/.nvm/bin/tool; (echo x > ${tool}) 2>/dev/null || echo kept`;
      await gateIn(repository, slot, sandboxFor(repository), command);
      expect(log()).toBe('from nvm\nkept\n');
    },
  );

  itEncloses('a command in the sandbox works below a home that is a link', async () => {
    const { repository, slot, log, write } = await scene();
    write('real/.pyenv/tool', 'a tool');
    write('real/.ssh/id', 'a key');
    const home = join(repository.folder, 'link');
    symlinkSync(join(repository.folder, 'real'), home);
    const sandbox = sandboxFor(repository, {}, { home });
    await gateIn(repository, slot, sandbox, 'cat ~/.pyenv/tool; cat ~/.ssh/id 2>/dev/null; echo', {
      env: { HOME: home },
    });
    expect(log()).toBe('a tool\n');
  });

  itEncloses(
    'a command in the sandbox sees and changes what the configuration names, but never the state',
    async () => {
      const { repository, slot, log, write } = await scene();
      write('.config/tool.yaml', 'configured\n');
      write('.local/state/ralph/token', 'a token\n');
      const shared = join(repository.folder, 'shared');
      mkdirSync(shared);
      const config = { read: ['~/.config/tool.yaml', '~/.local/state'], write: [shared] };
      const command = `cat ~/.config/tool.yaml ~/.local/state/ralph/token 2>/dev/null; echo there > ${shared}/file`;
      await gateIn(repository, slot, sandboxFor(repository, config), command);
      expect(log()).toBe('configured\n');
      expect(readFileSync(join(shared, 'file'), 'utf8')).toBe('there\n');
    },
  );

  itEncloses(
    'a command in the sandbox runs where the temporary folder has too long a path for a socket, and leaves nothing behind',
    async () => {
      const { repository, slot, write } = await scene();
      const long = dirname(write(`${'t'.repeat(100)}/file`, ''));
      const runtime = dirname(write('run/file', ''));
      vi.stubEnv('TMPDIR', long);
      onTestFinished(() => void vi.unstubAllEnvs());
      const place = { ...repository.place, env: { ...repository.place.env, XDG_RUNTIME_DIR: runtime } };
      const sandbox = sandboxFor({ ...repository, place });
      expect(await gateIn(repository, slot, sandbox, 'true')).toMatchObject({ passed: true });
      const broken = sandbox.enclose({ ...insideSlot(slot, 'gate'), mounts: noMount });
      await expect(broken?.(['true'], { cwd: slot.root, env: {} })).rejects.toThrow('No mount');
      expect([...readdirSync(long), ...readdirSync(join(runtime, 'ralph'))]).toEqual(['file']);
    },
  );

  itEncloses(
    'a command in the sandbox in the checkout changes files, but neither the state nor what git would execute',
    async () => {
      const { repository, slot, write } = await scene();
      write('project/.git/ralph/ralph.db', 'the queue');
      write('project/.ralph/config.yaml', 'gates: []\n');
      const inside = insideCheckout(repository.place, 'gate', { home: null });
      const command = [
        ...['echo new > src/new.js', 'git add src/new.js', 'echo x > .git/ralph/ralph.db'],
        ...['echo "#!/bin/sh" > .git/hooks/post-checkout', 'git config core.fsmonitor /bin/evil'],
        'echo gates > .ralph/config.yaml',
        'ls -A ~ > home.txt && echo cached > ~/cache && cat ~/cache >> home.txt',
      ].join('; ');
      const home = join(repository.folder, 'person');
      write('person/secret', 'of the person');
      const options = { inside, env: { HOME: home } };
      const sandbox = sandboxFor(repository, {}, { home });
      await gateIn(repository, { ...slot, root: repository.root }, sandbox, command, options);
      expect(repository.read('home.txt')).toBe('cached\n');
      expect(existsSync(join(home, 'cache'))).toBe(false);
      expect(repository.git('status', '--short')).toContain('A  src/new.js');
      expect(repository.read('.git/ralph/ralph.db')).toBe('the queue');
      expect(repository.read('.git/hooks/post-checkout')).toBeNull();
      expect(repository.read('.git/config')).not.toContain('fsmonitor');
      expect(repository.read('.ralph/config.yaml')).toBe('gates: []\n');
    },
  );
});

itEncloses(
  'in the checkout of an agent that only reads, such as one that plans, nothing changes',
  async () => {
    const { repository, slot, write } = await scene();
    write('project/.ralph/tasks.yaml', 'tasks: []\n');
    const inside = insideCheckout(repository.place, 'gate', { home: null, access: 'read' });
    const command =
      'echo x > .ralph/tasks.yaml; rm .ralph/tasks.yaml; mv .ralph old; echo x > made; echo x > .git/x';
    await gateIn(repository, { ...slot, root: repository.root }, sandboxFor(repository), command, { inside });
    expect(repository.read('.ralph/tasks.yaml')).toBe('tasks: []\n');
    expect([repository.read('made'), repository.read('.git/x')]).toEqual([null, null]);
  },
);

describe('a project below the top of its repository', () => {
  itEncloses(
    'a project below the top of its repository keeps its definitions in place, whatever folder around them is moved',
    async () => {
      const repository = await slotRepository({ below: 'apps/shop' });
      repository.write('apps/shop/.ralph/tasks.yaml', 'tasks: []\n');
      const slot = await filled(repository);
      mkdirSync(slot.tmp, { recursive: true });
      const inside = insideCheckout(repository.place, 'gate', { home: null });
      const plant = 'mkdir -p apps/shop/.ralph; echo planted > apps/shop/.ralph/tasks.yaml';
      const command = `cd ${repository.top}; mv apps/shop apps/moved; ${plant}; mv apps moved; ${plant}; echo x > made`;
      await gateIn(repository, { ...slot, root: repository.root }, sandboxFor(repository), command, {
        inside,
      });
      expect(repository.read('apps/shop/.ralph/tasks.yaml')).toBe('tasks: []\n');
      expect(repository.read('made')).toBe('x\n');
    },
  );
});

itEncloses('in a linked work tree no command leads git to another repository', async () => {
  const repository = await slotRepository();
  const slot = await filled(repository);
  mkdirSync(slot.tmp, { recursive: true });
  const root = join(repository.folder, 'linked');
  repository.git('worktree', 'add', '-q', root);
  const inside = insideCheckout({ ...repository.place, root }, 'gate', { home: null });
  const evil = join(root, 'evil');
  const common = join(repository.top, '.git/worktrees/linked/commondir');
  const command = `git init -q ${evil}; echo "gitdir: ${evil}/.git" > .git; rm .git; echo ${evil}/.git > ${common}; rm ${common}; echo x > made`;
  await gateIn(repository, { ...slot, root }, sandboxFor(repository), command, { inside });
  expect(readFileSync(join(root, '.git'), 'utf8')).not.toContain('evil');
  expect(readFileSync(common, 'utf8')).toBe('../..\n');
  expect(readFileSync(join(root, 'made'), 'utf8')).toBe('x\n');
});

describe('the network of a sandbox', () => {
  async function service(): Promise<number> {
    const server = createServer((_, response) => response.end('served\n'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }

  itEncloses(
    'the network of a sandbox refuses what the list does not name, and tells which host',
    async () => {
      const { repository, slot } = await scene();
      const port = await service();
      const sandbox = sandboxFor(repository, { network: ['allowed.example'] });
      const command = `curl -sf http://refused.example/ ; curl -sf https://refused.example/ ; curl -sf http://127.0.0.1:${port}/ ; curl -sf --noproxy "" -x "$http_proxy" http://127.0.0.1:${port}/; exit 1`;
      const { tail } = await gateIn(repository, slot, sandbox, command);
      expect(tail).toBe(
        `(The sandbox refused 3 connections to refused.example, 127.0.0.1:${port}; allow them with sandbox.network in .ralph/config.yaml.)`,
      );
      expect([...sandbox.refused.keys()]).toContain('refused.example:443');
    },
  );

  itEncloses(
    'the network of a sandbox has a port of the machine where the list names it, and its own loopback otherwise',
    async () => {
      const { repository, slot, log } = await scene();
      const port = await service();
      const sandbox = sandboxFor(repository, { network: [`localhost:${port}`] });
      const command = `curl -sf http://127.0.0.1:${port}/ && curl -sf http://localhost:${port}/ && curl -sf --noproxy "" -x "$http_proxy" http://127.0.0.1:${port}/`;
      expect(await gateIn(repository, slot, sandbox, command)).toMatchObject({ passed: true });
      expect(log()).toBe('served\nserved\nserved\n');
    },
  );
});

const processes = (): string[] =>
  readdirSync('/proc').map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  });

itEncloses('a hook of the repository reads no credentials, and what it mends lands', async () => {
  const { repository, write } = await scene();
  const secret = write('.ssh/id', 'a key');
  const hook = join(repository.top, '.git/hooks/pre-commit');
  mkdirSync(dirname(hook), { recursive: true });
  const line = `cat ${secret} >> src/app.js 2>/dev/null; echo mended >> src/app.js; git add src/app.js`;
  writeFileSync(hook, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const land = async (sandbox: Sandbox, task: number): Promise<string | null> => {
    const one = await lander(repository, { config: { commit_hooks: 'run', gates: [] }, sandbox });
    const session = await one.start(task);
    writeFileSync(join(session.slot.root, 'src/app.js'), `${task}\n`);
    await one.land(session);
    return repository.read('src/app.js');
  };
  expect(await land(sandboxFor(repository), 2)).toBe('2\nmended\n');
  expect(await land({ ...sandboxFor(repository), enclose: () => null }, 3)).toBe('3\na keymended\n');
});

it('a wrapper of one’s own gets the whole command line, and who runs in it', async () => {
  const { repository, slot, log, write } = await scene();
  const wrapper = write('wrapper', '#!/bin/sh\nWRAPPED=yes exec "$@"\n');
  chmodSync(wrapper, 0o755);
  const sandbox = sandboxFor(repository, { command: [wrapper, 'env'] }, { level: 'command' });
  expect(await gateIn(repository, slot, sandbox, 'echo "$WRAPPED $RALPH_SANDBOXED"; exit 3')).toMatchObject({
    exit_code: 3,
  });
  expect(log()).toBe('yes gate\n');
});
