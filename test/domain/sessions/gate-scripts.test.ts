import { expect, it } from 'vitest';
import { scriptsBehind } from '../../../src/domain/sessions/gate.ts';

const SCRIPTS = {
  test: 'run-s lint unit',
  pretest: 'node prepare.js',
  lint: 'biome ci .',
  unit: 'vitest run',
  postunit: 'echo over',
  build: 'esbuild',
  toString: 'x',
};
const ALL = ['pretest', 'test', 'lint', 'unit', 'postunit'];

it.each([
  ['npm test', ALL],
  ['npm t', ALL],
  ['CI=1 npm run -s test -- --bail', ALL],
  ['npm --prefix . test', ALL],
  ['node --run lint', ['lint']],
  ['pnpm lint && yarn unit', ['lint', 'unit', 'postunit']],
  ['concurrently "npm:lint"', ['lint']],
  ['vitest run test', []],
  ['npm run no-such-script', []],
  ['npm run constructor', []],
])('the command "%s" runs the scripts %j', (command, names) => {
  expect([...scriptsBehind(command, SCRIPTS).keys()]).toEqual(names);
});

it('scripts that name each other are followed only once', () => {
  const circle = { a: 'npm run b', b: 'npm run a' };
  expect([...scriptsBehind(['npm', 'run', 'a'], circle).keys()]).toEqual(['a', 'b']);
});
