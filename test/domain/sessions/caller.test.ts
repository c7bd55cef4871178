import { expect, it } from 'vitest';
import {
  type Ancestor,
  type Caller,
  doubtCaller,
  doubtProgram,
  type RunAtWork,
} from '../../../src/domain/sessions/caller.ts';

const ROOT = '/home/p/shop';
const HERE = { host: 'h', boot: 'b', pid_namespace: 'pid:[4026531836]' };
const RUN: RunAtWork = { pid: 50, process_started: '500', ...HERE, heartbeat: 0, group: '/user' };

const process = (pid: number, started: number, more: Partial<Ancestor> = {}): Ancestor => ({
  pid,
  leader: pid,
  started,
  name: 'sh',
  session: null,
  ...more,
});

const caller = (ancestors: readonly Ancestor[], more: Partial<Caller> = {}): Caller => ({
  ancestors,
  leaders: ancestors,
  isFromOutside: false,
  isLocalLogin: false,
  hasTerminal: true,
  group: '/user',
  place: HERE,
  ...more,
});

const SYSTEMD = process(10, 1, { name: 'systemd' });
const OLD_WINDOW = [process(90, 900), process(30, 300, { name: 'terminal' }), SYSTEMD];
const NEW_WINDOW = [process(90, 900), process(80, 800, { name: 'terminal' }), SYSTEMD];
const MARKED = process(60, 600, { session: { folder: '/slots/1/tmp' } });

it.each<[string, Caller, readonly RunAtWork[], ReturnType<typeof doubtCaller>]>([
  ['a person without a run needs no terminal', caller(NEW_WINDOW, { hasTerminal: false }), [], null],
  ['a person on a terminal decides beside a run', caller(OLD_WINDOW), [RUN], null],
  [
    'without a terminal nobody decides beside a run',
    caller(OLD_WINDOW, { hasTerminal: false }),
    [RUN],
    'no_terminal',
  ],
  ['a terminal that only newer programs opened is doubted', caller(NEW_WINDOW), [RUN], 'new_terminal'],
  [
    'a window that the desktop counts as another program is a person',
    caller(NEW_WINDOW, { group: '/app' }),
    [RUN],
    null,
  ],
  [
    'a command that came in from outside is a person',
    caller([process(90, 900)], { isFromOutside: true }),
    [RUN],
    null,
  ],
  ['a marked ancestor is a session', caller([process(90, 900), MARKED, ...OLD_WINDOW]), [], 'session'],
  ['a marked leader is a session', caller(OLD_WINDOW, { leaders: [MARKED] }), [], 'session'],
  [
    'what an agent starts is a session without any marker',
    caller([process(90, 900), process(60, 600), process(50, 500), ...OLD_WINDOW]),
    [RUN],
    'session',
  ],
  ['the run itself is none', caller([process(50, 500), ...OLD_WINDOW]), [RUN], null],
  [
    'a process that got the pid of a dead run is none',
    caller([process(90, 900), process(50, 510), ...OLD_WINDOW]),
    [RUN],
    null,
  ],
  [
    'a process within a sandbox is doubted',
    caller(OLD_WINDOW, { place: { ...HERE, pid_namespace: 'pid:[7]' } }),
    [RUN],
    'namespace',
  ],
  [
    'a person beside a run in a container is none of its agents',
    caller(OLD_WINDOW),
    [{ ...RUN, pid_namespace: 'pid:[7]' }],
    null,
  ],
  [
    'a run on another machine has no agents here',
    caller(NEW_WINDOW, { hasTerminal: false }),
    [{ ...RUN, host: 'x', boot: 'y' }],
    null,
  ],
])('%s', (_, who, runs, doubt) => {
  expect(doubtCaller(who, runs, ROOT)).toBe(doubt);
});

/** The processes behind a command that is typed after the run began, from its shell on, by how the person or an agent got there. */
const WAYS: readonly [string, Partial<Caller>, readonly [string, number][], 'person' | 'doubted'][] = [
  [
    'a window of GNOME',
    { group: '/user/vte-spawn-1.scope' },
    [
      ['gnome-terminal-', 700],
      ['systemd', 1],
    ],
    'person',
  ],
  [
    'a window of KDE',
    { group: '/user/app-konsole.scope' },
    [
      ['konsole', 700],
      ['systemd', 1],
    ],
    'person',
  ],
  [
    'a window whose manager is its parent',
    {},
    [
      ['st', 700],
      ['dwm', 20],
    ],
    'person',
  ],
  [
    'a window that a key daemon opened',
    {},
    [
      ['alacritty', 700],
      ['sxhkd', 30],
    ],
    'person',
  ],
  [
    'a new tab of a terminal that was open',
    {},
    [
      ['kitty', 300],
      ['systemd', 1],
    ],
    'person',
  ],
  [
    'the terminal of an editor that was open',
    {},
    [
      ['code', 300],
      ['systemd', 1],
    ],
    'person',
  ],
  [
    'a window of a tmux that was running',
    {},
    [
      ['tmux: server', 300],
      ['systemd', 1],
    ],
    'person',
  ],
  ['a console', { group: '/user/session-9.scope' }, [['login', 700]], 'person'],
  [
    'ssh from another machine',
    { group: '/user/session-9.scope' },
    [
      ['sshd', 700],
      ['sshd', 5],
    ],
    'person',
  ],
  [
    'ssh from this machine before the run',
    { isLocalLogin: true },
    [
      ['bash', 300],
      ['sshd', 290],
      ['sshd', 5],
    ],
    'person',
  ],
  ['a container that was entered from outside', { isFromOutside: true }, [], 'person'],
  [
    'ssh from this machine',
    { isLocalLogin: true, group: '/user/session-9.scope' },
    [
      ['sshd', 700],
      ['sshd', 5],
    ],
    'doubted',
  ],
  ['systemd-run --pty', { group: '/user/run-u7.service' }, [['systemd', 1]], 'doubted'],
  ['systemd-run --pty with a name', { group: '/user/app-mine.service' }, [['systemd', 1]], 'doubted'],
  [
    'systemd-run of a program with a terminal',
    { group: '/user/run-r7.scope' },
    [
      ['script', 700],
      ['systemd', 1],
    ],
    'doubted',
  ],
  [
    'an orphan with a terminal of its own',
    {},
    [
      ['script', 700],
      ['systemd', 1],
    ],
    'doubted',
  ],
  [
    'an orphan that a desktop adopted',
    {},
    [
      ['script', 700],
      ['lxqt-session', 20],
    ],
    'doubted',
  ],
  [
    'a window whose manager lets go of it, which looks like an orphan',
    {},
    [
      ['foot', 700],
      ['systemd', 1],
    ],
    'doubted',
  ],
  [
    'a tmux that began after the run',
    {},
    [
      ['tmux: server', 700],
      ['systemd', 1],
    ],
    'doubted',
  ],
];

it.each(WAYS)('beside a run, %s is told as documented', (_, more, behind, verdict) => {
  const chain = [
    process(90, 900),
    ...behind.map(([name, started], index) => process(80 - index, started, { name })),
  ];
  expect(doubtCaller(caller(chain, more), [RUN], ROOT)).toBe(verdict === 'person' ? null : 'new_terminal');
});

it('a program that a timer of the person starts beside a run is theirs, and one of systemd-run is doubted', () => {
  const started = (group: string) => caller([process(90, 900), SYSTEMD], { hasTerminal: false, group });
  expect(doubtProgram(started('/user/nightly.service'), [RUN], ROOT)).toBe(null);
  expect(doubtProgram(started('/user/run-u7.service'), [RUN], ROOT)).toBe('new_terminal');
});

it('a project in the temporary folder of a session is nobody else, so its session decides there', () => {
  const within = caller([process(90, 900), MARKED, ...OLD_WINDOW]);
  expect(doubtCaller(within, [], '/slots/1/tmp/fixture')).toBe(null);
  expect(doubtCaller(within, [], '/slots/1/tmp2')).toBe('session');
});

it('a program of a person needs no terminal beside a run, but a program that an orphan started is doubted', () => {
  expect(doubtProgram(caller(OLD_WINDOW, { hasTerminal: false }), [RUN], ROOT)).toBe(null);
  expect(doubtProgram(caller([process(90, 900), SYSTEMD], { hasTerminal: false }), [RUN], ROOT)).toBe(
    'new_terminal',
  );
});
