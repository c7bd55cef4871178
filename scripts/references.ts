// npm run references [-- --check]: writes the references from the code, or says which of them is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cliReference } from './references/cli.ts';
import { configReference } from './references/config.ts';
import { definitionsReference } from './references/definitions.ts';
import { importReference } from './references/import-table.ts';
import { mcpReference } from './references/mcp.ts';
import { seedsReference } from './references/seeds.ts';
import { serverJson } from './references/server-json.ts';
import { wrapProse } from './references/wrap-prose.ts';

const FILES = new Map([
  ['docs/cli.md', wrapProse(await cliReference())],
  ['docs/config.md', wrapProse(configReference())],
  ['docs/definitions.md', wrapProse(definitionsReference())],
  ['docs/import.md', await importReference(readFileSync('docs/import.md', 'utf8'))],
  ['docs/mcp.md', wrapProse(mcpReference())],
  ['docs/seeds.md', seedsReference()],
  ['server.json', serverJson()],
]);

const isCheck = process.argv.includes('--check');
for (const [file, text] of FILES) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (isCheck) {
    console.error(`${file} is out of date; run npm run references.`);
    process.exitCode = 1;
  } else writeFileSync(file, text);
}
