// npm run conformance [RALPH.JS]: the official MCP suite against Ralph's HTTP entry, with the fixtures that it asks for beside; and the
// Inspector against its stdio. `npm test` does it too (test/e2e/conformance.test.ts), with --brief: four steps of the Inspector, once each.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildRalph, bundle } from './bundle.ts';
import { inspect } from './conformance/inspector.ts';
import type { Row, Verdict } from './conformance/row.ts';

/** Why a scenario cannot pass here. One that passes nevertheless fails the run, so that its line goes. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'server-sse-polling':
    'Ralph stores no events to resume a stream from (optional in MCP), and the scenario speaks as a client of 2025-03-26, whom the SDK never primes.',
};

const FIXTURES = resolve('test/fixtures/conformance');
const PACKAGE = '@modelcontextprotocol/conformance';
const INSPECTOR = '@modelcontextprotocol/inspector';
/** A folder of its own: the fixtures are to be built of the packages that Ralph is built of. */
const SUITE = join(FIXTURES, 'suite');
const INSTALLED = join(SUITE, 'node_modules');
const SUITE_NEEDS_NODE = 22;
/** Only what hangs takes so long: a busy machine takes many times as long as an idle one. */
const SUITE_WITHIN_MS = 300_000;
const LEAVE_WITHIN_MS = 60_000;

type Check = { name: string; description: string; status: string; errorMessage?: string };
type Env = { HOME: string; PATH: string | undefined };

const WANTED: Record<string, string> = JSON.parse(
  readFileSync(join(SUITE, 'package.json'), 'utf8'),
).dependencies;

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort());

const {
  positionals: [builtRalph],
  values: { brief: isBrief },
} = parseArgs({ allowPositionals: true, options: { brief: { type: 'boolean', default: false } } });
const node = await nodeForSuite();
const folder = mkdtempSync(join(tmpdir(), 'ralph-conformance-'));
try {
  const start = performance.now();
  const env = { HOME: join(folder, 'home'), PATH: process.env['PATH'] };
  mkdirSync(env.HOME);
  const inspector = join(INSTALLED, INSPECTOR, 'clients/launcher/build/index.js');
  const ralph = builtRalph ?? (await buildOwn());
  const rows = [
    ...(await runSuite(env)),
    ...(await inspect({ node, script: inspector, ralph, folder, isBrief, env, signal: stopped.signal })),
  ];
  for (const { scenario, verdict, why } of rows)
    console.log(`${verdict.padEnd(14)}  ${scenario}${why && `: ${why}`}`);
  const count = (verdict: Verdict) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`\n${count('passed')}, ${count('failed')}, ${count('not applicable')}, in ${seconds} s.`);
  process.exitCode = rows.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The suite needs a newer Node than Ralph: where the running one is too old, one is installed beside the suite. */
async function nodeForSuite(): Promise<string> {
  const isNewEnough = Number.parseInt(process.versions.node, 10) >= SUITE_NEEDS_NODE;
  const own = join(INSTALLED, '.bin', 'node');
  const isThere = [PACKAGE, INSPECTOR].every((name) => readVersion(join(INSTALLED, name)) === WANTED[name]);
  if (!isThere || !(isNewEnough || existsSync(own))) await install(isNewEnough ? ['--omit=optional'] : []);
  if (isNewEnough) return process.execPath;
  if (!existsSync(own))
    throw new Error(`No Node ${SUITE_NEEDS_NODE} can be installed here; run this with a newer Node.`);
  return own;
}

function readVersion(folder: string): string | null {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

async function install(flags: readonly string[]): Promise<void> {
  console.log(`Installing the suite into ${SUITE} ...`);
  const args = ['ci', '--prefix', SUITE, '--no-audit', '--no-fund', '--loglevel=error', ...flags];
  const npm = spawn('npm', args, { stdio: ['ignore', 'inherit', 'inherit'], signal: stopped.signal });
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}.`);
}

async function runSuite(env: Env): Promise<Row[]> {
  const { url, end } = await startServer(await buildServer(), env);
  try {
    const results = join(folder, 'results');
    const listed = await suite(['list', '--server'], env);
    await suite(['server', '--url', url, '--suite', 'all', '--output-dir', results], env);
    const scenarios = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
    if (scenarios.length === 0) throw new Error('The suite lists no scenarios.');
    const checks = readChecks(results);
    const unknown = Object.keys(NOT_APPLICABLE).filter((name) => !scenarios.includes(name));
    return [...scenarios, ...unknown].map((name) => judge(name, checks.get(name) ?? []));
  } finally {
    await end();
  }
}

async function buildOwn(): Promise<string> {
  const ralph = await buildRalph(join(folder, 'ralph'));
  symlinkSync(resolve('node_modules'), join(folder, 'ralph', 'node_modules'));
  return ralph;
}

async function buildServer(): Promise<string> {
  const built = join(folder, 'build');
  await build(bundle({ server: join(FIXTURES, 'server.ts') }, built));
  // Outside the project nothing would find the native module by name.
  symlinkSync(resolve('node_modules'), join(built, 'node_modules'));
  writeFileSync(join(built, 'package.json'), '{"type":"module"}');
  return join(built, 'server.js');
}

async function startServer(script: string, env: Env): Promise<{ url: string; end(): Promise<void> }> {
  const server = spawn(process.execPath, [script, folder], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const end = async (): Promise<void> => {
    const late = setTimeout(() => server.kill('SIGKILL'), LEAVE_WITHIN_MS);
    server.stdin.end();
    const [code, signal] = await exited;
    clearTimeout(late);
    if (code !== 0) throw new Error(`The server with the fixtures ended with ${code ?? signal}.`);
  };
  const lines = createInterface({ input: server.stdout });
  const line = await Promise.race([once(lines, 'line'), exited.then(() => null)]);
  if (line === null) throw new Error('The server with the fixtures did not start.');
  return { url: JSON.parse(line[0]).url, end };
}

/** It ends with 1 where a check failed; what failed is read from its results. */
function suite(args: readonly string[], env: Env): Promise<string> {
  const script = join(INSTALLED, PACKAGE, 'dist', 'index.js');
  const options = { cwd: folder, env, timeout: SUITE_WITHIN_MS, maxBuffer: 2 ** 28, signal: stopped.signal };
  return new Promise((done, failed) => {
    execFile(node, [script, ...args], options, (error, stdout, stderr) => {
      if (error === null || error.code === 1) done(stdout);
      else failed(new Error(`The suite did not run to its end.\n${stderr}`, { cause: error }));
    });
  });
}

function readChecks(results: string): Map<string, Check[]> {
  const found = new Map<string, Check[]>();
  for (const name of readdirSync(results)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\dZ-]+$/.exec(name)?.[1] ?? name;
    found.set(scenario, JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')));
  }
  return found;
}

function judge(scenario: string, checks: readonly Check[]): Row {
  const problem = problemIn(checks);
  const reason = NOT_APPLICABLE[scenario];
  if (reason === undefined) return { scenario, verdict: problem === '' ? 'passed' : 'failed', why: problem };
  if (problem !== '' && checks.length > 0) return { scenario, verdict: 'not applicable', why: reason };
  return { scenario, verdict: 'failed', why: 'listed as not applicable, but it passes or is unknown' };
}

/** Empty where all is well. A warning counts: it is a "should" of the protocol that is not kept. */
function problemIn(checks: readonly Check[]): string {
  const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (wrong.length > 0)
    return wrong
      .map(({ name, description, errorMessage = description }) => `${name}: ${errorMessage}`)
      .join('; ');
  return checks.some(({ status }) => status === 'SUCCESS') ? '' : 'nothing was checked';
}
