import { expect, it } from 'vitest';
import { secretsInFile } from '../../../src/domain/secrets/secrets-in-file.ts';

it.each([
  [
    'of an environment file',
    'export A="q8Zw-22fx-LmN4"\n# B=commented-out-99\nC=k3y0987654321 # staging\n',
    ['k3y0987654321', 'q8Zw-22fx-LmN4'],
  ],
  ['of YAML', 'database:\n  user: app\n  pw: "s3cr3t-of-db"\n', ['s3cr3t-of-db']],
  ['of JSON', '{\n  "client": "A1b2C3d4E5f6",\n  "retries": 5\n}\n', ['A1b2C3d4E5f6']],
  ['in the address of a database', 'URL=postgres://app:hunter2hunter2@db/app\n', ['hunter2hunter2']],
  ['that are the whole file', 'glpat-0a1b2c3d4e5f\n', ['glpat-0a1b2c3d4e5f']],
  [
    'but no port, switch, word, path, plain address or sentence',
    'PORT=30001234\nDEBUG=true\nMODE=development\nDIR=/var/lib/app\nAPI=https://api.test/v1\nTITLE="My Great Shop"\n',
    [],
  ],
  [
    'with several words, if their name says so',
    'PASSPHRASE="correct horse battery"\n',
    ['correct horse battery'],
  ],
])('a file of settings has the secrets %s', (_, text, secrets) => {
  expect(
    secretsInFile(text)
      .filter((value) => !value.includes('://'))
      .sort(),
  ).toEqual(secrets);
});
