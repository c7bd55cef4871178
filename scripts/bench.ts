// npm run bench [-- --long] [--json FILE] [NAME...]: what is promised about speed, as ratios measured in one run.
// NAME is one of the functions below, such as turnaround: then only these are measured.
import { writeFileSync } from 'node:fs';
import { claims } from './bench/claim.ts';
import { dashboard } from './bench/dashboard.ts';
import { dashboardChange } from './bench/dashboard-change.ts';
import { dashboardMemory } from './bench/dashboard-memory.ts';
import { layout } from './bench/graph.ts';
import { imports } from './bench/import.ts';
import { insert } from './bench/insert.ts';
import { retrieval, searchDocuments } from './bench/knowledge.ts';
import { gateRunsSpeculating, lostToConflicts } from './bench/lanes.ts';
import { listCommand, listOfOneFeature } from './bench/list.ts';
import { type Bench, type BenchRow, inTempFolder } from './bench/measure.ts';
import { postgresClaims, postgresWrites } from './bench/postgres.ts';
import { prompts } from './bench/prompt.ts';
import { sandboxedSession } from './bench/sandbox.ts';
import { coldStart, ending, toolBytes, verbCall } from './bench/server.ts';
import { firstRequest } from './bench/session.ts';
import { fourJobs, landing, warmSlot } from './bench/slots.ts';
import { statusLine } from './bench/statusline.ts';
import { manyTasks, turnaround } from './bench/turnaround.ts';
import { readFlags, refuse } from './usage.ts';

const BENCHES: readonly Bench[] = [
  insert,
  imports,
  claims,
  postgresClaims,
  postgresWrites,
  listOfOneFeature,
  listCommand,
  statusLine,
  layout,
  prompts,
  retrieval,
  searchDocuments,
  verbCall,
  coldStart,
  ending,
  toolBytes,
  firstRequest,
  sandboxedSession,
  turnaround,
  warmSlot,
  landing,
  fourJobs,
  lostToConflicts,
  gateRunsSpeculating,
  dashboard,
  dashboardChange,
];

/** Minutes, and so only when asked for. */
const LONG: readonly Bench[] = [manyTasks, dashboardMemory];

const {
  values: { json, long = false },
  positionals: names,
} = readFlags('npm run bench [-- --long] [--json FILE] [NAME...]', {
  options: { json: { type: 'string' }, long: { type: 'boolean' } },
  allowPositionals: true,
});
const known = long || names.length > 0 ? [...BENCHES, ...LONG] : BENCHES;
const unknown = names.find((name) => !known.some((bench) => bench.name === name));
if (unknown !== undefined)
  refuse(`There is no bench "${unknown}"; there are ${known.map(({ name }) => name).join(', ')}.`);
const chosen = names.length === 0 ? known : known.filter(({ name }) => names.includes(name));

const rows: BenchRow[] = [];
console.log(`${'ratio'.padStart(6)}  ${'bar'.padStart(6)}  verdict  what`);
for (const bench of chosen) {
  for (const row of await inTempFolder(bench)) {
    rows.push(row);
    console.log(
      `${row.ratio.toFixed(2).padStart(6)}  ${`≤ ${row.atMost}`.padStart(6)}  ${verdict(row).padEnd(7)}  ${row.name} (${row.detail})`,
    );
  }
}
if (!long && names.length === 0)
  console.log(
    'Left out, because they take minutes: 1,000 tasks in a row, an hour of events (npm run bench -- --long).',
  );
if (json !== undefined)
  writeFileSync(
    json,
    `${JSON.stringify(
      rows.map((row) => ({ ...row, verdict: verdict(row) })),
      null,
      2,
    )}\n`,
  );
process.exitCode = rows.every((row) => verdict(row) === 'ok') ? 0 : 1;

function verdict({ ratio, atMost }: BenchRow): 'ok' | 'missed' {
  return ratio <= atMost ? 'ok' : 'missed';
}
