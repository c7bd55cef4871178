// npm run chaos: disturbs runs at random moments, round after round, and checks that nothing is lost.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildRalph, bundle } from './bundle.ts';
import { VICTIMS, type Victim } from './chaos/disturbance.ts';
import { MUTATIONS, mutation } from './chaos/mutations.ts';
import type { Programs } from './chaos/project.ts';
import { type Round, runRound } from './chaos/round.ts';
import { add, NO_TOTALS, report, type Totals } from './chaos/totals.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    claude: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    /** A fault that is built in: the rounds have to find it. */
    mutate: { type: 'string' },
  },
});
const [rounds, first] = [Number(values.rounds), Number(values.seed)];
const { claude, keep, small } = values;
const jobs = Number(values.jobs);
const mutant = values.mutate === undefined ? null : findMutation(values.mutate);
const only = values.only === '' && mutant !== null ? mutant.only : parseVictims(values.only);

/** Two rounds at a time: a machine with more to do than cores shifts the moments. */
const AT_A_TIME = 2;

const folder = mkdtempSync(join(tmpdir(), 'ralph-chaos-programs-'));
let totals: Totals = NO_TOTALS;
let next = 0;
try {
  const programs = await buildPrograms();
  console.log(`${rounds} rounds${claude ? ' with the real claude' : ''}, the first with seed ${first}`);
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, rounds) }, () => work(programs)));
  console.log(report(totals, claude ? 'the real `claude`' : 'scripted'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const hasFailed = totals.failed.length > 0;
if (mutant !== null)
  console.log(
    hasFailed ? `The fault ${values.mutate} was found.` : `The fault ${values.mutate} was NOT found.`,
  );
process.exitCode = hasFailed === (mutant !== null) ? 0 : 1;

async function work(programs: Programs): Promise<void> {
  // One round that finds the fault is enough.
  while (next < rounds && (mutant === null || totals.failed.length === 0)) {
    const seed = first + next++;
    const began = performance.now();
    try {
      const round = await runRound(seed, programs, { claude, jobs, keep, small, only });
      totals = add(totals, round);
      print(round, performance.now() - began);
    } catch (error) {
      totals = { ...totals, failed: [...totals.failed, seed] };
      console.log(`✗ seed ${seed}  the harness broke: ${error instanceof Error ? error.stack : error}`);
    }
  }
}

function print({ seed, disturbed, violations, scene, evidence }: Round, durationMs: number): void {
  const events = disturbed.map(
    ({ victim, after, detail }) => `${victim}${detail && ` ${detail}`} (${after})`,
  );
  const seconds = (durationMs / 1_000).toFixed(1);
  const mark = violations.length === 0 ? '✓' : '✗';
  const place = keep ? `  ${scene.project.folder}` : '';
  console.log(
    `${mark} seed ${seed}  ${seconds} s  ${evidence.sessions.length} sessions, disturbed: ${events.join(', ') || 'not'}${place}`,
  );
  if (violations.length === 0) return;
  for (const violation of violations) console.log(`    ${violation}`);
  const flags = `${claude ? ' --claude' : ''}${jobs > 1 ? ` --jobs ${jobs}` : ''}${small ? ' --small' : ''}${only.length > 0 ? ` --only ${only}` : ''}`;
  console.log(`    again: npm run chaos -- --rounds 1 --seed ${seed}${flags} --keep`);
}

function parseVictims(text: string): Victim[] {
  const names = text.split(',').filter((name) => name !== '');
  return names.map((name) => {
    const victim = VICTIMS.find((known) => known === name);
    if (victim === undefined)
      throw new Error(`There is no victim "${name}"; choose among ${VICTIMS.join(', ')}.`);
    return victim;
  });
}

function findMutation(name: string): (typeof MUTATIONS)[string] {
  const found = MUTATIONS[name];
  if (found === undefined)
    throw new Error(`There is no fault "${name}"; choose among ${Object.keys(MUTATIONS).join(', ')}.`);
  return found;
}

async function buildPrograms(): Promise<Programs> {
  await build(bundle({ agent: 'scripts/chaos/agent.ts' }, folder));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const plugins = mutant === null ? [] : [mutation(mutant)];
  return { ralph: await buildRalph(join(folder, 'ralph'), plugins), agent: join(folder, 'agent.js') };
}
