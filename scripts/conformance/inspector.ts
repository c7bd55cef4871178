// The MCP Inspector's command line, a client of other hands, does with `ralph serve` what a person would, in both eras of the protocol.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { INTERACTIVE_TOOLS } from '../../src/tools/index.ts';
import type { Row } from './row.ts';

const run = promisify(execFile);

/** `script`: the Inspector's. `node`: one that is new enough for it. */
export type Inspector = {
  node: string;
  script: string;
  /** The Ralph that it is to use. */
  ralph: string;
  folder: string;
  /** Four steps, each in one of the eras by turns, instead of all in both. */
  isBrief: boolean;
  env: Record<string, string | undefined>;
  signal: AbortSignal;
};

/** What is asked, and what the answer has to hold, by its path. */
const STEPS: readonly [method: string, args: readonly string[], path: string, wanted: unknown][] = [
  ['tools/list', ['--strict'], 'tools.length', INTERACTIVE_TOOLS.length],
  ['resources/list', [], 'resources.0.uri', 'ralph://project'],
  ['resources/read', ['--uri', 'ralph://tasks/1'], 'contents.0.text', /^# #1 One$/m],
  ['resources/templates/list', [], 'resourceTemplates.0.uriTemplate', /^ralph:/],
  ['prompts/list', [], 'prompts.0.name', 'task_execution'],
  [
    'prompts/get',
    ['--prompt-name', 'task_execution', '--prompt-args', 'id=1'],
    'messages.0.content.text',
    /#1 One/,
  ],
  [
    'tools/call',
    ['--tool-name', 'list_tasks', '--tool-args-json', '{"limit":5}'],
    'content.0.text',
    '#1 One (pending, medium)',
  ],
];

const ERAS = ['legacy', 'modern'];

/** That the other lists can be read, the conformance suite and the tests of the server show. */
const BRIEF = ['tools/list', 'resources/read', 'prompts/get', 'tools/call'];

export async function inspect(inspector: Inspector): Promise<Row[]> {
  const { node, script, ralph, folder, isBrief, env, signal } = inspector;
  const project = join(folder, 'project');
  mkdirSync(project);
  const options = { cwd: project, env, signal };
  for (const args of [
    ['init', '--yes'],
    ['add', 'One'],
  ])
    await run(process.execPath, [ralph, ...args], options);
  const rows: Row[] = [];
  for (const [turn, era] of ERAS.entries()) {
    const problems: string[] = [];
    const steps = STEPS.filter(
      ([method]) => !isBrief || (BRIEF.includes(method) && BRIEF.indexOf(method) % ERAS.length === turn),
    );
    for (const [method, args, path, wanted] of steps) {
      const words = ['--cli', '--format', 'json', '--protocol-era', era, '--method', method, ...args];
      const problem = await run(
        node,
        [script, ...words, '--', process.execPath, ralph, 'serve'],
        options,
      ).then(
        ({ stdout }) => difference(valueAt(JSON.parse(stdout).result, path), wanted),
        (error: Error) => error.message,
      );
      if (problem !== '') problems.push(`${method}: ${problem}`);
    }
    const why = problems.join('; ');
    rows.push({ scenario: `inspector-${era}`, verdict: why === '' ? 'passed' : 'failed', why });
  }
  return rows;
}

const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

function difference(found: unknown, wanted: unknown): string {
  const isRight = wanted instanceof RegExp ? wanted.test(String(found)) : isDeepStrictEqual(found, wanted);
  return isRight ? '' : `${JSON.stringify(found)} is not ${wanted}`;
}
