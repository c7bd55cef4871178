import { expect, it } from 'vitest';
import { observeWork, registerWork, type Work } from '../../src/host/at-work.ts';

it('any number of agents and gates share one handler for the end of the process', () => {
  const workOf = (number: number): Work => ({ pid: null, marker: `RALPH_TEST=${number}` });
  registerWork(workOf(0))();
  const before = process.listenerCount('exit');
  const ends = Array.from({ length: 20 }, (_, number) => registerWork(workOf(number)));
  expect(process.listenerCount('exit')).toBe(before);
  for (const end of ends) end();
});

it('an observer hears of what works already, of what begins, and once of what is over', () => {
  const heard: string[] = [];
  const [first, second]: [Work, Work] = [
    { pid: null, marker: 'RALPH_TEST=a' },
    { pid: null, marker: 'RALPH_TEST=b' },
  ];
  const endFirst = registerWork(first);
  const stop = observeWork({
    began: ({ marker }) => heard.push(`+${marker}`),
    over: ({ marker }) => heard.push(`-${marker}`),
  });
  const endSecond = registerWork(second);
  endFirst();
  endFirst();
  stop();
  endSecond();
  expect(heard).toEqual(['+RALPH_TEST=a', '+RALPH_TEST=b', '-RALPH_TEST=a']);
});
