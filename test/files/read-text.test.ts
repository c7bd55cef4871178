import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readText } from '../../src/files/read-text.ts';
import { tempDir } from '../support/temp.ts';

it('Ralph refuses a file that is written to, cut or replaced while it is read', async () => {
  const folder = tempDir();
  const path = join(folder, 'a.json');
  const disturbances: (() => void)[] = [
    () => appendFileSync(path, 'more'),
    () => truncateSync(path, 2),
    () => {
      writeFileSync(join(folder, 'b.json'), '{"a": 2}');
      renameSync(join(folder, 'b.json'), path);
    },
  ];
  for (const disturb of disturbances) {
    writeFileSync(path, '{"a": 1}');
    const read = readText(path, 'a.json', async (file) => {
      const bytes = await file.readFile();
      disturb();
      return bytes;
    });
    await expect(read).rejects.toThrow('a.json changed while it was read; try again when nothing writes it.');
  }
  writeFileSync(path, '{"a": 1}');
  expect(await readText(path, 'a.json')).toBe('{"a": 1}');
});
