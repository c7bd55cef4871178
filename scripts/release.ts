// npm run release: checks that this commit can be published as it is. It publishes nothing.
import { checkRelease } from './release/checks.ts';
import { readFacts } from './release/facts.ts';

const facts = readFacts();
const checks = checkRelease(facts);
for (const { name, problem } of checks)
  console.log(`${problem === null ? '✓ ok ' : '✗ fix'}  ${name.padEnd(12)} ${problem ?? ''}`.trimEnd());
const { name, version } = facts.packageJson;
const { files, size, unpackedSize } = facts.tarball;
console.log(`\n${name} ${version}: ${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked.`);
const address = facts.packageJson.repository?.url ?? 'missing';
console.log(
  `Check that these are yours: the package ${name}, and the repository in package.json (${address}).`,
);
console.log('Nothing was published. docs/releasing.md says how to publish.');
process.exitCode = checks.every(({ problem }) => problem === null) ? 0 : 1;
