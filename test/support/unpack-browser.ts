// Before the tests that look at a page: the browser, and a home for it. The quick tests do not wait for this.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type BrowserPlace, unpackBrowser } from '../../scripts/browser.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    browser: BrowserPlace;
    browserHome: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-test-browser-'));
  project.provide('browser', await unpackBrowser(folder));
  project.provide('browserHome', folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
