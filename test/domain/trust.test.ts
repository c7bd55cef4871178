import { expect, it } from 'vitest';
import { executableLines, slotCommands } from '../../src/domain/trust.ts';
import { configSchema } from '../../src/project/definitions/schema/config.ts';

const lines = (config: object): string[] => executableLines(configSchema.parse(config), [], []);

it('the setup of slots, the commands that regenerate files and the variables of slots need trust', () => {
  const config = {
    slots: { setup: 'npm ci', env: { PATH: './bin' } },
    land: { regenerate: [{ files: ['a.lock', 'b.lock'], command: 'make locks' }] },
  };
  expect(lines(config)).toEqual([
    'setup of a slot: npm ci',
    'regenerate a.lock, b.lock: make locks',
    'agents, gates and setup get PATH=./bin',
  ]);
  expect(slotCommands(configSchema.parse(config)).map(({ command }) => command)).toEqual([
    'npm ci',
    'make locks',
  ]);
});

it('what is trusted stays trusted while slots and landing have their defaults', () => {
  const gates = [{ name: 'test', command: 'npm test' }];
  expect(lines({ gates })).toEqual(['gate test: npm test']);
  expect(lines({ gates: [{ ...gates[0], flaky: 'fail' }], jobs: 4 })).toEqual(lines({ gates }));
});
