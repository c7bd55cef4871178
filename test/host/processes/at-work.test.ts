import { expect, it } from 'vitest';
import { observeWork, registerWork } from '../../../src/host/processes/at-work.ts';

it('any number of agents and gates share one handler for the end of the process', () => {
  registerWork('RALPH_TEST=0').over();
  const before = process.listenerCount('exit');
  const works = Array.from({ length: 20 }, (_, number) => registerWork(`RALPH_TEST=${number}`));
  expect(process.listenerCount('exit')).toBe(before);
  for (const work of works) work.over();
});

it('an observer hears of running work, of work that is about to begin, and once of work that is over', () => {
  const heard: string[] = [];
  const first = registerWork('RALPH_TEST=a');
  first.startedAs(7);
  const stop = observeWork({
    began: ({ pid, marker }) => heard.push(`+${marker} ${pid}`),
    over: ({ marker }) => heard.push(`-${marker}`),
  });
  const second = registerWork('RALPH_TEST=b');
  second.startedAs(8);
  first.over();
  first.over();
  stop();
  second.over();
  expect(heard).toEqual(['+RALPH_TEST=a 7', '+RALPH_TEST=b null', '+RALPH_TEST=b 8', '-RALPH_TEST=a']);
});
