// npm run github-schema: writes test/fixtures/github/schema.json, the part of GitHub's published API description that the tests
// hold Ralph to. The whole package has 400 MB, so it is fetched for this alone and is no dependency.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATIONS } from './github-schema/operations.ts';
import { type Description, trimDescription } from './github-schema/trim.ts';

const VERSION = '23.0.2';
const FILE = 'package/generated/api.github.com.json';
const MAX_BYTES = 64 * 1024 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'ralph-github-schema-'));
try {
  const tarball = execFileSync('npm', ['pack', '--silent', `@octokit/openapi@${VERSION}`], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
  const text = execFileSync('tar', ['-xzOf', tarball, FILE], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  });
  const trimmed = trimDescription(JSON.parse(text) as Description, OPERATIONS);
  const source = `Trimmed from @octokit/openapi ${VERSION} (MIT, Octokit contributors) by npm run github-schema.`;
  writeFileSync('test/fixtures/github/schema.json', `${JSON.stringify({ source, ...trimmed }, null, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
