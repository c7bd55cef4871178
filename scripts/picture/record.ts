// A run in a real pseudo terminal: everything that it writes, and the moment in which the picture is taken.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Glyph, Terminal } from './terminal.ts';

const [COLUMNS, ROWS] = [80, 24];

export type Recording = {
  ended: Promise<unknown>;
  /** The screen as it was in the last frame that shows all of this. */
  moment(...shown: readonly RegExp[]): Glyph[][];
  /** As a person does it who does not want to wait: Ctrl-C twice. */
  stop(): Promise<void>;
};

export function record(command: readonly string[], cwd: string, env: Record<string, string>): Recording {
  const words = command.map((word) => `'${word}'`).join(' ');
  const line = `stty cols ${COLUMNS} rows ${ROWS}; exec ${words}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'exit');
  return {
    ended,
    moment: (...shown) => findMoment(output, shown),
    stop: async () => {
      child.stdin.write('\x03');
      while (!output.includes('Ctrl-C again') && child.exitCode === null) await once(child.stdout, 'data');
      child.stdin.write('\x03');
      await ended;
    },
  };
}

function findMoment(output: string, shown: readonly RegExp[]): Glyph[][] {
  let moment: Glyph[][] | null = null;
  const terminal = new Terminal(COLUMNS, () => {
    const text = terminal.text().join('\n');
    if (shown.every((one) => one.test(text))) moment = terminal.lines.slice(-ROWS).map((line) => [...line]);
  });
  terminal.write(output);
  if (moment === null) throw new Error('The run was over before there was anything to see.');
  return moment;
}
