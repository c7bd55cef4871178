import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileSecrets, withFileSecrets } from '../../../src/domain/secrets/file-secrets.ts';
import { addCopiedSecrets } from '../../../src/host/slots/include-files.ts';
import { firstSlot, slotRepository } from '../../support/slots.ts';

const VALUE = 'Zq8-w22fx-LmN4-77';

it('a run knows the secrets that a killed run has copied into its slots, whatever the person has changed since', async () => {
  const repository = await slotRepository();
  const slot = firstSlot(repository);
  const env = withFileSecrets(repository.place.env);
  mkdirSync(slot.tree, { recursive: true });
  writeFileSync(join(slot.tree, '.env'), `SHOP_CODE=${VALUE}\n`);
  await addCopiedSecrets({ ...slot, repository: { ...slot.repository, env } }, ['.env', 'gone']);
  expect([...fileSecrets(env)]).toEqual([VALUE]);
});
