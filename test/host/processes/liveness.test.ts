// Every combination of where a process was recorded, how old its heartbeat is, and whether its pid is taken here.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { HEARTBEAT_LIMIT_MS, type Liveness, processReach } from '../../../src/domain/sessions/liveness.ts';
import type { PidPlace } from '../../../src/domain/sessions/session.ts';
import { identify, isAlive, liveness } from '../../../src/host/processes/process-identity.ts';

const deadPid = (): number => Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));

it('a pid counts only if Ralph can look it up, and a heartbeat only if it cannot', () => {
  const alive = identify(process.pid);
  const dead = { ...alive, pid: deadPid(), process_started: '1' };
  const here = {
    host: alive.host ?? null,
    boot: alive.boot ?? null,
    pid_namespace: alive.pid_namespace ?? null,
  };
  const beats = { young: Date.now(), old: Date.now() - HEARTBEAT_LIMIT_MS, none: null };
  let looks = 0;
  for (const host of [here.host, 'another host', null])
    for (const boot of [here.boot, 'another boot', null])
      for (const pid_namespace of [here.pid_namespace, 'pid:[7]', null])
        for (const [age, heartbeat] of Object.entries(beats))
          for (const process of [alive, dead]) {
            const place: PidPlace = { host, boot, pid_namespace };
            const recorded = { ...process, ...place, heartbeat };
            const expected: Record<ReturnType<typeof processReach>, Liveness> = {
              here: process === alive ? 'alive' : 'dead',
              gone: 'dead',
              elsewhere: age === 'young' ? 'unseen' : 'silent',
            };
            const found = liveness(recorded);
            expect([place, age, found]).toEqual([place, age, expected[processReach(recorded, here)]]);
            expect(isAlive(recorded)).toBe(found === 'alive' || found === 'unseen');
            looks += 1;
          }
  expect(looks).toBe(162);
});
