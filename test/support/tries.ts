// How often a property is tried. `RALPH_TEST_TRIES=10 npm test` looks ten times as long for an example against it.

const FACTOR = Number(process.env['RALPH_TEST_TRIES'] ?? '1');

/** On PostgreSQL each try takes many times as long, and looks for differences only. */
const DATABASE_FACTOR = process.env['RALPH_TEST_DATABASE'] === 'postgres' ? 1 / 15 : 1;

export const tries = (count: number): number => Math.ceil(count * FACTOR * DATABASE_FACTOR);
