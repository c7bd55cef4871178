// Before all tests: offers the browser of those that look at a page. It is unpacked when the first of them asks for it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type BrowserPlace, unpackBrowser } from '../../scripts/browser.ts';
import { openDesk } from './desk.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The port where to ask for it. */
    browser: number;
  }
}

export type TestBrowser = { place: BrowserPlace; home: string };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'ralph-test-browser-'));
  const desk = await openDesk(async () => {
    const browser: TestBrowser = { place: await unpackBrowser(home), home };
    return JSON.stringify(browser);
  });
  project.provide('browser', desk.port);
  return async () => {
    await desk.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
}
