import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareLearnings } from '../../../src/domain/learnings/compare-learnings.ts';

const PAIRS: readonly [string, string, ReturnType<typeof compareLearnings>][] = [
  [
    'The auth middleware returns { user, token }, not just { token }',
    'Auth middleware returns { user, token } and not only { token }.',
    'repeat',
  ],
  [
    'Run the tests with NODE_ENV=test, or mails are sent.',
    'Note: run the tests with NODE_ENV=test or mails are sent',
    'repeat',
  ],
  ["Don't forget to run the migrations first", 'Run the migrations first', 'repeat'],
  ['Prices are stored in cents as integers', 'Prices are stored in cents, as integers always', 'repeat'],
  [
    'Run the tests with NODE_ENV=test, or mails are sent.',
    'Run tests with NODE_ENV=test, otherwise mails get deleted',
    'other',
  ],
  [
    'Run tests with NODE_ENV=test or mails are sent',
    'Run the tests with NODE_ENV=test, otherwise mails are sent',
    'repeat',
  ],
  ['Config values are loaded at startup', 'Config values get loaded on startup', 'repeat'],
  ['The build needs Node 20', 'The build requires Node 20', 'repeat'],
  ['Tests need Redis or Postgres', 'Tests need Redis and Postgres', 'other'],
  ['Not all routes need a login', 'Routes do not need a login', 'other'],
  ['The dev server listens on port 3000', 'The dev server listens on port 4000.', 'conflict'],
  ['Use tabs in Makefiles', 'Never use tabs in Makefiles', 'conflict'],
  ['The session cookie is HttpOnly', 'The session cookie is not HttpOnly', 'conflict'],
  ['Migrations run before the worker starts', 'Migrations run after the worker starts', 'conflict'],
  [
    'The config is read from src/config/load.ts at start',
    'The config is read from src/settings/load.ts at start',
    'conflict',
  ],
  ['Plan B is in use for the release', 'Plan C is in use for the release', 'conflict'],
  ['getUserById throws when the row is missing', 'getOrderById throws when the row is missing', 'conflict'],
  ['payments depends on orders', 'orders depends on payments', 'other'],
  [
    'Mails are sent by the worker after the order commits',
    'Invoices are sent by the worker after the order commits',
    'other',
  ],
  ['Tests need a database', 'Tests need a database, see docs/testing.md', 'other'],
  ['Images are resized by sharp', 'Uploads are stored in a bucket', 'other'],
  ['Port is 3000', 'Port is 4000', 'conflict'],
  ['The queue is persistent across restarts', 'The queue is non-persistent across restarts', 'conflict'],
];

/** One word, one sign or one order apart: both are worth keeping. */
const APART: readonly [string, string][] = [
  ['Retry on 503', 'Retry only on 503'],
  ['All routes need a token', 'Some routes need a token'],
  ['The table must be read through the view', 'The table may be read through the view'],
  ['Turn caching on for the build', 'Turn caching off for the build'],
  ['The session ends when the user logs in', 'The session ends when the user logs out'],
  ['The handler runs per request', 'The handler runs once per request'],
  ['Users can delete posts', 'Users can delete their own posts'],
  ['Copy files from staging to production', 'Copy files to staging from production'],
  ['The lock is held while writing', 'The lock is held until writing'],
  ['Failed tests are retried by the runner', 'Failing tests are retried by the runner'],
  [
    'The job removes stale uploads of every tenant from the bucket',
    'The job removes stale uploads of every European tenant from the bucket',
  ],
  [
    'The nightly import has to finish on the build server before the weekly export starts',
    'The weekly import has to finish on the build server before the nightly export starts',
  ],
  ['Die Datei ist gültig', 'Die Datei ist nicht gültig'],
  ['Le cache est valide', "Le cache n'est pas valide"],
  ['Use >= 3 workers', 'Use <= 3 workers'],
  ['Return where a == b', 'Return where a != b'],
  ['Return early if (ready)', 'Return early if (!ready)'],
  ['The offset is 5', 'The offset is -5'],
  ['Read the .env file', 'Read the env file'],
  ['Files in src/* are checked', 'Files in src/** are checked'],
  ['Deploy 👍', 'Deploy 👎'],
  ['The key is userId', 'The key is userid'],
  ['It is so', 'We do that'],
];

describe('a learning against another one', () => {
  it.each(PAIRS)('the learnings %j and %j compare as %s', (one, other, expected) => {
    expect(compareLearnings(one, other)).toBe(expected);
    expect(compareLearnings(other, one)).toBe(expected);
  });

  it.each(APART)('the learnings %j and %j are different', (one, other) => {
    expect(compareLearnings(one, other)).not.toBe('repeat');
    expect(compareLearnings(other, one)).not.toBe('repeat');
  });

  const word = fc.constantFrom('cache', 'queue', 'worker', 'invoice', 'login', 'header', 'upload', 'report');
  const sentence = fc.uniqueArray(word, { minLength: 3, maxLength: 7 }).map((words) => words.join(' '));

  it('a learning repeats itself, whatever its case and its closing words', () => {
    fc.assert(
      fc.property(
        sentence,
        (text) => compareLearnings(text, `Note that ${text.toUpperCase().toLowerCase()}!`) === 'repeat',
      ),
    );
  });

  it('a learning is not repeated by its negation, or with another number in it', () => {
    fc.assert(
      fc.property(sentence, fc.nat(9_999), fc.nat(9_999), (text, one, other) => {
        expect(compareLearnings(text, `never ${text}`)).toBe('conflict');
        if (one !== other) expect(compareLearnings(`${text} ${one}`, `${text} ${other}`)).not.toBe('repeat');
      }),
    );
  });

  it('the comparison of two learnings is symmetric', () => {
    const text = fc.array(fc.oneof(word, fc.constantFrom('not', 'before', 'after', 'v1', 'v2', 'src/a.ts')), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(compareLearnings(one.join(' '), other.join(' '))).toBe(
          compareLearnings(other.join(' '), one.join(' ')),
        );
      }),
    );
  });
});
