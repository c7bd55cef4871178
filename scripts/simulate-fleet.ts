// npm run simulate-fleet [-- --measure] [--write]: how many workers one queue and one branch can feed, and what ends it first. With
// --measure the cost of the database is measured on a real PostgreSQL. --write puts the table into docs/fleet.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { measureLock } from './simulate-fleet/measure.ts';
import { type Fleet, simulate } from './simulate-fleet/model.ts';
import { readFlags } from './usage.ts';

const { values } = readFlags('npm run simulate-fleet [-- --measure] [--tasks N] [--lock-ms N] [--write]', {
  options: {
    measure: { type: 'boolean', default: false },
    tasks: { type: 'string', default: '1000000' },
    'lock-ms': { type: 'string', default: '51' },
    write: { type: 'boolean', default: false },
  },
});
const tasks = Number(values.tasks);
const lockMs = values.measure ? await measureLock() : Number(values['lock-ms']);
const lockSeconds = lockMs / 1_000;
console.log(`The writes of one task hold the lock of the database for ${lockMs.toFixed(0)} ms.`);

/** A database 10 ms away, as in another region: a task has about 50 statements under the lock. */
const FAR_SECONDS = 0.5;
const COMMON = { tasks, workSeconds: 600, remoteSeconds: 2, lockSeconds, redPercent: 5, projects: 1 };
const FLEETS: readonly Fleet[] = [
  ...[8, 64, 1_000].flatMap((workers) =>
    [300, 60, 5].map((gateSeconds) => ({ ...COMMON, workers, gateSeconds })),
  ),
  { ...COMMON, workers: 1_000, gateSeconds: 60, projects: 50 },
  { ...COMMON, workers: 1_000, gateSeconds: 5, projects: 20 },
  { ...COMMON, workers: 1_000, gateSeconds: 0, remoteSeconds: 0.2 },
  { ...COMMON, workers: 1_000, gateSeconds: 0, remoteSeconds: 0.2, lockSeconds: lockSeconds + FAR_SECONDS },
];

const DOCUMENT = 'docs/fleet.md';
const HEAD =
  '| workers | projects | gates | lock per task | landed an hour | efficiency | line busy | lock busy | a million tasks |\n|---|---|---|---|---|---|---|---|---|\n';
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const rows = FLEETS.map((fleet) => {
  const { perHour, efficiency, lineUse, lockUse } = simulate(fleet);
  const days = Math.round(1_000_000 / perHour / 24);
  return `| ${[
    fleet.workers.toLocaleString('en'),
    fleet.projects,
    fleet.gateSeconds < 60 ? `${fleet.gateSeconds} s` : `${fleet.gateSeconds / 60} min`,
    `${Math.round(fleet.lockSeconds * 1_000)} ms`,
    Math.round(perHour).toLocaleString('en'),
    percent(efficiency),
    percent(lineUse),
    percent(lockUse),
    `${days.toLocaleString('en')} days`,
  ].join(' | ')} |\n`;
});
const table = `${HEAD}${rows.join('')}`;
console.log(table);
if (values.write) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const start = text.indexOf('| workers |');
  if (start < 0) throw new Error(`${DOCUMENT} has no such table.`);
  writeFileSync(DOCUMENT, `${text.slice(0, start)}${table}${text.slice(text.indexOf('\n\n', start) + 1)}`);
}
