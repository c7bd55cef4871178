import { describe, expect, it } from 'vitest';
import {
  HEARTBEAT_LIMIT_MS,
  isBeating,
  processReach,
  type Reach,
} from '../../../src/domain/sessions/liveness.ts';
import type { PidPlace } from '../../../src/domain/sessions/session.ts';

const LINUX: PidPlace = { host: 'a', boot: 'boot-1', pid_namespace: 'pid:[1]' };
const WITHOUT_PROC: PidPlace = { host: 'a', boot: null, pid_namespace: null };

/** host, boot, namespace of the recorded process, and whether its pid can be looked up. */
type Row = [string | null, string | null, string | null, Reach];

const FROM_LINUX: Row[] = [
  ['a', 'boot-1', 'pid:[1]', 'here'],
  ['a', 'boot-1', 'pid:[2]', 'elsewhere'],
  ['a', 'boot-1', null, 'elsewhere'],
  ['a', 'boot-2', 'pid:[1]', 'gone'],
  ['a', 'boot-2', 'pid:[2]', 'gone'],
  ['a', 'boot-2', null, 'gone'],
  ['a', null, 'pid:[1]', 'elsewhere'],
  ['a', null, 'pid:[2]', 'elsewhere'],
  ['a', null, null, 'elsewhere'],
  // The same boot and namespace under another name: the host was renamed.
  ['b', 'boot-1', 'pid:[1]', 'here'],
  ['b', 'boot-1', 'pid:[2]', 'elsewhere'],
  ['b', 'boot-1', null, 'elsewhere'],
  // The first pid namespace has the same name on every machine.
  ['b', 'boot-2', 'pid:[1]', 'elsewhere'],
  ['b', 'boot-2', 'pid:[2]', 'elsewhere'],
  ['b', 'boot-2', null, 'elsewhere'],
  ['b', null, 'pid:[1]', 'elsewhere'],
  ['b', null, 'pid:[2]', 'elsewhere'],
  ['b', null, null, 'elsewhere'],
  // Recorded by an older version.
  [null, 'boot-1', 'pid:[1]', 'here'],
  [null, 'boot-1', 'pid:[2]', 'here'],
  [null, 'boot-1', null, 'here'],
  [null, 'boot-2', 'pid:[1]', 'here'],
  [null, 'boot-2', 'pid:[2]', 'here'],
  [null, 'boot-2', null, 'here'],
  [null, null, 'pid:[1]', 'here'],
  [null, null, 'pid:[2]', 'here'],
  [null, null, null, 'here'],
];

const FROM_WITHOUT_PROC: Row[] = [
  ['a', null, null, 'here'],
  ['b', null, null, 'elsewhere'],
  ['a', 'boot-1', 'pid:[1]', 'elsewhere'],
  ['a', 'boot-1', null, 'elsewhere'],
  ['a', null, 'pid:[1]', 'elsewhere'],
  ['b', 'boot-1', 'pid:[1]', 'elsewhere'],
  [null, null, null, 'here'],
];

describe.each([
  ['Linux', LINUX, FROM_LINUX],
  ['a system without /proc', WITHOUT_PROC, FROM_WITHOUT_PROC],
])('seen from %s', (_, here, rows) => {
  it.each(rows)('a process of host %s, boot %s, namespace %s is %s', (host, boot, pid_namespace, reach) => {
    expect(processReach({ pid: 1, process_started: '1', host, boot, pid_namespace }, here)).toBe(reach);
  });
});

it('the table has every combination of host, boot and namespace', () => {
  expect(new Set(FROM_LINUX.map((row) => row.slice(0, 3).join())).size).toBe(27);
});

it('a record without a place is looked up by its pid', () => {
  expect(processReach({ pid: 1, process_started: null }, LINUX)).toBe('here');
});

it.each([
  ['just written', 0, true],
  ['one millisecond younger than the limit', HEARTBEAT_LIMIT_MS - 1, true],
  ['as old as the limit', HEARTBEAT_LIMIT_MS, false],
  ['a day old', 86_400_000, false],
  ['of a clock that runs ahead', -60_000, true],
])('a heartbeat that is %s is judged correctly', (_, age, beating) => {
  expect(isBeating({ pid: 1, process_started: null, heartbeat: 1_000_000 - age }, 1_000_000)).toBe(beating);
});

it('a record without a heartbeat does not beat', () => {
  expect(isBeating({ pid: 1, process_started: null }, 0)).toBe(false);
  expect(isBeating({ pid: 1, process_started: null, heartbeat: null }, 0)).toBe(false);
});

it('a lease counts instead of a heartbeat', () => {
  const process = { pid: 1, process_started: null, heartbeat: 0 };
  expect(isBeating({ ...process, lease: { length_ms: 60, left_ms: 1, unbroken_ms: 0 } }, 1e9)).toBe(true);
  expect(isBeating({ ...process, lease: { length_ms: 60, left_ms: 0, unbroken_ms: 0 } }, 1)).toBe(false);
});

it.each<Row>([
  ['a', 'boot-1', 'pid:[1]', 'here'],
  ['b', 'boot-1', 'pid:[1]', 'here'],
  ['a', 'boot-1', 'pid:[2]', 'elsewhere'],
  // Another machine may have the same name, so another boot proves no reboot.
  ['a', 'boot-2', 'pid:[1]', 'elsewhere'],
  ['a', null, null, 'elsewhere'],
])('in a fleet, a process of host %s, boot %s, namespace %s is %s', (host, boot, pid_namespace, reach) => {
  const process = { pid: 1, process_started: '1', host, boot, pid_namespace, shared: true };
  expect(processReach(process, LINUX)).toBe(reach);
});

it('in a fleet, machines that do not tell their boot count by their leases, even with one name', () => {
  const process = { pid: 1, process_started: '1', ...WITHOUT_PROC, shared: true };
  expect(processReach(process, WITHOUT_PROC)).toBe('elsewhere');
});
