// npm run bench [-- --json FILE]: what is promised about speed, as ratios measured in one run.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { claims } from './bench/claim.ts';
import { insert } from './bench/insert.ts';
import { listCommand, listOfOneFeature } from './bench/list.ts';
import { type Bench, type BenchRow, inTempFolder } from './bench/measure.ts';
import { prompts } from './bench/prompt.ts';
import { coldStart, ending, toolBytes, verbCall } from './bench/server.ts';

const BENCHES: readonly Bench[] = [
  insert,
  claims,
  listOfOneFeature,
  listCommand,
  prompts,
  verbCall,
  coldStart,
  ending,
  toolBytes,
];

const { json } = parseArgs({ options: { json: { type: 'string' } } }).values;

const rows: BenchRow[] = [];
console.log(`${'ratio'.padStart(6)}  ${'bar'.padStart(6)}  verdict  what`);
for (const bench of BENCHES) {
  for (const row of await inTempFolder(bench)) {
    rows.push(row);
    console.log(
      `${row.ratio.toFixed(2).padStart(6)}  ${`≤ ${row.atMost}`.padStart(6)}  ${verdict(row).padEnd(7)}  ${row.name} (${row.detail})`,
    );
  }
}
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
