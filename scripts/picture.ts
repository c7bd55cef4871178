// npm run picture: docs/live-view.svg, one moment of a real run of the demonstration in a real pseudo terminal.
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Attempts, makeProject } from './demo/make-project.ts';
import { ATTEMPTS } from './demo/story.ts';
import { toSvg } from './picture/svg.ts';
import { type Glyph, Terminal } from './picture/terminal.ts';

const [COLUMNS, ROWS] = [80, 24];
const FILE = 'docs/live-view.svg';
const RALPH = resolve('dist/ralph.js');

/** Long enough in one place to be looked at: after it has written the fourth task's test. */
const slowly: Attempts = {
  ...ATTEMPTS,
  4: (ATTEMPTS[4] ?? []).map((steps) => [...steps.slice(0, 2), { shell: 'sleep 3' }, ...steps.slice(2)]),
};

const { folder, root, env } = await makeProject(slowly);
try {
  execFileSync(process.execPath, [RALPH, 'trust', '--yes'], { cwd: root, env });
  const svg = toSvg(momentOf(record()), COLUMNS, 'ralph run: finished tasks above, what is going on below');
  if (svg.includes(folder)) throw new Error('The picture names a folder of this machine.');
  writeFileSync(FILE, svg);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Everything that the run wrote to its terminal. */
function record(): string {
  const line = `stty cols ${COLUMNS} rows ${ROWS}; exec '${process.execPath}' '${RALPH}' run`;
  const { error, stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
    cwd: root,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (error !== undefined)
    throw new Error(`script, of util-linux, is needed for the picture: ${error.message}`);
  return stdout;
}

/** The last frame in which the fourth task is being worked on. */
function momentOf(output: string): Glyph[][] {
  let moment: Glyph[][] | null = null;
  const terminal = new Terminal(COLUMNS, () => {
    const text = terminal.text().join('\n');
    if (/▶ #4 /.test(text) && /now {3}Write test\/list/.test(text))
      moment = terminal.lines.map((line) => [...line]);
  });
  terminal.write(output);
  if (moment === null) throw new Error('The run was over before there was anything to see.');
  return moment;
}
