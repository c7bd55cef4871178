// Before all tests: the bundle that the command-line tests run, and the processes that the many-process tests start.
import { symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { buildRalph, bundle, startOnce } from '../../scripts/bundle.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    ralph: string;
    worker: string;
    writer: string;
    agent: string;
    chaosAgent: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-test-build-'));
  const entries = {
    worker: 'test/fixtures/worker.ts',
    writer: 'test/fixtures/writer.ts',
    agent: 'scripts/demo/agent.ts',
    'chaos-agent': 'scripts/chaos/agent.ts',
  };
  const [ralph] = await Promise.all([buildRalph(join(folder, 'ralph')), build(bundle(entries, folder))]);
  // Outside the project nothing would find the native module by name.
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  startOnce(ralph);
  project.provide('ralph', ralph);
  project.provide('worker', join(folder, 'worker.js'));
  project.provide('writer', join(folder, 'writer.js'));
  project.provide('agent', join(folder, 'agent.js'));
  project.provide('chaosAgent', join(folder, 'chaos-agent.js'));
  return () => rm(folder, { recursive: true });
}
