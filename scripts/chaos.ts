// npm run chaos: disturbs runs at random moments, round after round, and checks that nothing is lost.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { buildRalph, bundle } from './bundle.ts';
import { FLEET } from './chaos/fleet/rounds.ts';
import { mutation } from './chaos/mutations.ts';
import { endAtExit } from './chaos/processes.ts';
import type { Programs } from './chaos/project.ts';
import { LOCAL, type PlayedRound, type Rounds } from './chaos/rounds.ts';
import { readFlags, refuse } from './usage.ts';

const USAGE =
  'npm run chaos -- [--fleet] [--rounds N] [--seed S] [--jobs J | --workers W] [--only VICTIM,...] [--claude] [--in-the-way] [--keep] [--small] [--mutate FAULT]';

const { values } = readFlags(USAGE, {
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    /** Several machines, a git remote and PostgreSQL, instead of one machine. */
    fleet: { type: 'boolean', default: false },
    workers: { type: 'string' },
    claude: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    /** While the person amends or rebases, a change of theirs keeps their branch from landed work. */
    'in-the-way': { type: 'boolean', default: false },
    /** A fault that is built in: the rounds have to find it. */
    mutate: { type: 'string' },
  },
});
const kind = values.fleet ? FLEET : LOCAL;
const [rounds, first] = [Number(values.rounds), Number(values.seed)];
const { claude, keep, small } = values;
const isInTheWay = values['in-the-way'];
const jobs = Number(values.jobs);
const workers = values.workers === undefined ? null : Number(values.workers);
const fault = values.mutate === undefined ? null : findFault(values.mutate);
const only = values.only === '' && fault !== null ? fault.only : parseVictims(values.only);

const folder = mkdtempSync(join(tmpdir(), 'ralph-chaos-programs-'));
endAtExit(() => rmSync(folder, { recursive: true, force: true }));
// What a round has started is ended with this process. Not "once": npm and tsx pass the signal on, so it comes again, and without a
// listener it would end this process in the middle.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => process.exit(1));

const failed: number[] = [];
const violated = new Map<string, number>();
let next = 0;
try {
  const programs = await buildPrograms();
  console.log(`${rounds} rounds${claude ? ' with the real claude' : ''}, the first with seed ${first}`);
  const played = await kind.open(programs, { only, keep, small, claude, jobs, workers, isInTheWay });
  try {
    await Promise.all(Array.from({ length: Math.min(kind.atATime, rounds) }, () => work(played)));
    console.log(played.report());
  } finally {
    await played.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const [check, count] of violated) console.log(`${check} did not hold in ${count} rounds.`);
console.log(failed.length === 0 ? 'Everything held.' : `Failed: seeds ${failed.join(', ')}.`);
const hasFailed = failed.length > 0;
if (fault !== null)
  console.log(
    hasFailed
      ? `The fault ${values.mutate} was found in round ${next}.`
      : `The fault ${values.mutate} was NOT found.`,
  );
process.exitCode = hasFailed === (fault !== null) ? 0 : 1;

async function work(played: Rounds): Promise<void> {
  // One round that finds the fault is enough.
  while (next < rounds && (fault === null || failed.length === 0)) {
    const seed = first + next++;
    const began = performance.now();
    try {
      const round = await played.play(seed);
      if (round.violations.length > 0) failed.push(seed);
      print(seed, round, performance.now() - began);
    } catch (error) {
      failed.push(seed);
      console.log(`✗ seed ${seed}  the harness broke: ${error instanceof Error ? error.stack : error}`);
    }
  }
}

function print(seed: number, { line, folder: place, violations }: PlayedRound, durationMs: number): void {
  const seconds = (durationMs / 1_000).toFixed(1);
  const mark = violations.length === 0 ? '✓' : '✗';
  console.log(`${mark} seed ${seed}  ${seconds} s  ${line}${keep ? `  ${place}` : ''}`);
  if (violations.length === 0) return;
  for (const name of new Set(violations.map((violation) => violation.slice(0, violation.indexOf(':')))))
    violated.set(name, (violated.get(name) ?? 0) + 1);
  for (const violation of violations) console.log(`    ${violation}`);
  const flags = [
    values.fleet && '--fleet',
    workers !== null && `--workers ${workers}`,
    claude && '--claude',
    jobs > 1 && `--jobs ${jobs}`,
    small && '--small',
    isInTheWay && '--in-the-way',
    only.length > 0 && `--only ${only}`,
  ];
  console.log(
    `    again: npm run chaos -- --rounds 1 --seed ${seed} ${flags.filter(Boolean).join(' ')} --keep`,
  );
}

function parseVictims(text: string): string[] {
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !kind.victims.includes(name));
  if (unknown !== undefined)
    refuse(`There is no victim "${unknown}"; choose among ${kind.victims.join(', ')}.`);
  return names;
}

function findFault(name: string): (typeof kind.faults)[string] {
  const found = kind.faults[name];
  if (found === undefined)
    refuse(`There is no fault "${name}"; choose among ${Object.keys(kind.faults).join(', ')}.`);
  return found;
}

async function buildPrograms(): Promise<Programs> {
  await build(bundle({ agent: 'scripts/chaos/agent.ts' }, folder));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const plugins = fault === null ? [] : [mutation(fault.replacement)];
  return { ralph: await buildRalph(join(folder, 'ralph'), plugins), agent: join(folder, 'agent.js') };
}
