// npm run references [-- --check]: writes the references from the code, or says which of them is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cliReference } from './references/cli.ts';
import { configReference } from './references/config.ts';
import { definitionsReference } from './references/definitions.ts';
import { importReference } from './references/import-table.ts';
import { mcpReference } from './references/mcp.ts';
import { seedsReference } from './references/seeds.ts';

const FILES = new Map([
  ['docs/cli.md', await cliReference()],
  ['docs/config.md', configReference()],
  ['docs/definitions.md', definitionsReference()],
  ['docs/import.md', await importReference(readFileSync('docs/import.md', 'utf8'))],
  ['docs/mcp.md', mcpReference()],
  ['docs/seeds.md', seedsReference()],
]);

const isCheck = process.argv.includes('--check');
for (const [file, text] of FILES) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${file} is out of date; run npm run references.`);
    process.exitCode = 1;
  } else writeFileSync(file, text);
}
