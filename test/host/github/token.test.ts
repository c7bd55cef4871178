import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findToken } from '../../../src/host/github/token.ts';
import { tempDir } from '../../support/temp.ts';

const PUBLIC = 'https://api.github.com';
const ENTERPRISE = 'https://git.example.com/api/v3';

it('a token for github.com is not sent to another host, nor the other way round', async () => {
  const env = { HOME: tempDir(), PATH: '', GH_TOKEN: 'one', GH_ENTERPRISE_TOKEN: 'two' };
  expect(await findToken(PUBLIC, env)).toEqual({ value: 'one', from: 'GH_TOKEN' });
  expect(await findToken('https://api.octo.ghe.com', env)).toMatchObject({ value: 'one' });
  expect(await findToken(ENTERPRISE, env)).toEqual({ value: 'two', from: 'GH_ENTERPRISE_TOKEN' });
  expect(await findToken(ENTERPRISE, { ...env, GH_ENTERPRISE_TOKEN: ' ' })).toBeNull();
});

it('without a variable, gh is asked for the host, in the home folder', async () => {
  const home = tempDir();
  const script = '#!/bin/sh\n[ "$PWD" = "$HOME" ] && echo "$@" | /usr/bin/tr " " -\n';
  writeFileSync(join(home, 'gh'), script);
  chmodSync(join(home, 'gh'), 0o755);
  const found = await findToken(ENTERPRISE, { HOME: home, PATH: home });
  expect(found).toEqual({ value: 'auth-token---hostname-git.example.com', from: 'gh auth token' });
});
