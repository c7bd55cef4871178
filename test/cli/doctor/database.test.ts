import { expect, it } from 'vitest';
import { judgePostgres } from '../../../src/cli/doctor/database.ts';

const GOOD = {
  ...{ server: '16.2', version: 24, role: 'ralph_worker', may_write: true },
  ...{ encrypted: true, durable: true, round_trip_ms: 1.2, clock_ms: 3 },
};

const judge = (change: Partial<typeof GOOD> | { version: null }): string =>
  judgePostgres({ ...GOOD, ...change }, 'postgres://db/ralph');

it('a queue on PostgreSQL is described by its server, tables, encryption, distance and role', () => {
  expect(judge({})).toBe('PostgreSQL 16.2, tables 24, encrypted, 1.2 ms away, as ralph_worker');
  expect(judge({ may_write: false })).toContain('may only look: a run needs the role of a worker');
});

it.each([
  [{ server: '12.9' }, 'needs 13 or newer'],
  [{ version: null }, 'ralph database migrate'],
  [{ clock_ms: 3_600_000 }, 'is 3600 s behind that of postgres://db/ralph; let a time service set both'],
  [{ clock_ms: -120_000 }, 'is 120 s ahead of that of'],
  [{ durable: false }, 'turn both on in postgresql.conf'],
  [{ round_trip_ms: 240 }, 'use a server that is nearer'],
])('with %j the sentence says the repair: %s', (change, repair) => {
  expect(() => judge(change)).toThrow(repair);
});
