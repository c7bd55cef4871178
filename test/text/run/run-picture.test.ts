import { expect, it } from 'vitest';
import { toSvg } from '../../../scripts/picture/svg.ts';
import { Terminal } from '../../../scripts/picture/terminal.ts';

it('a label of the picture is as wide as its letters, without trailing blanks', () => {
  const terminal = new Terminal(80);
  terminal.write('  Queue \x1b[32m2 done\x1b[39m');
  const svg = toSvg(terminal.lines, 80, 'a run');
  expect(svg).toContain('textLength="42" fill="#e6edf3">Queue<');
  expect(svg).toContain('textLength="50.4" fill="#7ee787">2 done<');
});
