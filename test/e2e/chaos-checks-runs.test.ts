// The checks of the chaos rounds on how runs ended, and on what outlived them: each seen to catch what it is there for.
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../scripts/chaos/evidence.ts';
import type { Contest, RunEnd } from '../../scripts/chaos/scene.ts';
import { brokenRound } from './broken-round.ts';

const { whole, complaintsOf } = brokenRound();

const ENDED: RunEnd = { pid: 0, code: 0, output: '', killed: false, mayBeRefused: false };

describe('the checks catch', () => {
  it('a run that did not come to its end', () => {
    const runEnds = [...whole().evidence.runEnds, { ...ENDED, code: 1, output: 'ralph: broken' }];
    expect(complaintsOf({ runEnds })).toEqual(['lastRunFinished', 'noRunBroke']);
  });

  const SURVIVOR = { pid: 1, parent: 1, group: 1, command: 'agent', marks: [] };
  const contest = (kind: Contest['kind'], ...runs: RunEnd[]): Contest => ({ kind, worker: null, runs });
  const TURNED_AWAY: RunEnd = { ...ENDED, code: 1, output: 'Another run is at work.', mayBeRefused: true };

  it.each<[string, string, () => Partial<Evidence>]>([
    [
      'a run that broke although it may refuse',
      'noRunBroke',
      () => ({ contests: [contest('beside', { ...TURNED_AWAY, output: 'Error\n    at main.ts:1' })] }),
    ],
    [
      'a run that worked beside another',
      'everyRivalIsTurnedAway',
      () => ({ contests: [contest('beside', ENDED)] }),
    ],
    [
      'a run that worked in a second work tree',
      'everyRivalIsTurnedAway',
      () => ({ contests: [contest('elsewhere', { ...ENDED, code: 10 })] }),
    ],
    [
      'runs that all turned each other away',
      'everyRivalIsTurnedAway',
      () => ({ contests: [contest('together', TURNED_AWAY, TURNED_AWAY)] }),
    ],
    [
      'a run that was turned away and left a row',
      'rivalsChangeNothing',
      () => ({ contests: [contest('beside', { ...TURNED_AWAY, pid: whole().evidence.runs[0]?.pid ?? 0 })] }),
    ],
    [
      'an agent that outlived its supervisor',
      'noSessionOutlivesItsSupervisor',
      () => ({ survivors: [{ ...SURVIVOR, part: 'session' }] }),
    ],
    [
      'a gate that outlived its supervisor',
      'noGateOutlivesItsSupervisor',
      () => ({ survivors: [{ ...SURVIVOR, part: 'gate' }] }),
    ],
    [
      'a commit that the person replaced and that is back',
      'everyCommitOfThePersonIsThere',
      () => {
        const hash = whole().evidence.branches[0]?.log[0]?.hash ?? '';
        return { person: { ...whole().evidence.person, rewritten: new Map([[hash, 'another']]) } };
      },
    ],
    [
      'a done that a killed gate refuted',
      'noTaskRanAgainAfterItsDone',
      () => ({
        disturbed: Array.from({ length: 4 }, () => ({ victim: 'gate', after: 'gate begun', detail: '' })),
        sessions: whole().evidence.sessions.map((session) => ({ ...session, outcome: 'gate_failed' })),
      }),
    ],
  ])('%s', (_, check, broken) => {
    expect(complaintsOf(broken())).toContain(check);
  });
});

it('a done that was put back is excused once for each git that died, and never without one', () => {
  const sessions = whole().evidence.sessions.map((session) => ({ ...session, outcome: 'interrupted' }));
  const dones = whole().evidence.acknowledged.filter(({ verb, honest }) => verb === 'done' && honest).length;
  const deaths = Array.from(
    { length: dones },
    () => ({ victim: 'git', after: 'start', detail: '' }) as const,
  );
  expect(complaintsOf({ sessions, disturbed: deaths })).toEqual([]);
  expect(complaintsOf({ sessions, disturbed: deaths.slice(1) })).toContain('noTaskRanAgainAfterItsDone');
});
