import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePrivate } from '../../src/host/private-state.ts';
import { findProject } from '../../src/host/project.ts';
import { initialised } from '../support/ralph.ts';
import { done, scripted } from '../support/scripted-agent.ts';
import { tempDir } from '../support/temp.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

it('the next command closes a state folder that others could read, with all its files', async () => {
  const project = await initialised();
  const { stateDir } = findProject(project.root);
  const session = join(stateDir, 'sessions/s');
  mkdirSync(session, { recursive: true });
  writeFileSync(join(session, 'prompt.md'), 'x', { mode: 0o644 });
  for (const path of [join(stateDir, 'sessions'), session, stateDir]) chmodSync(path, 0o755);
  chmodSync(join(stateDir, 'ralph.db'), 0o644);
  await project.json('add', 'One');
  const paths = ['', 'sessions', 'sessions/s', 'sessions/s/prompt.md', 'ralph.db'];
  expect(paths.map((path) => modeOf(join(stateDir, path)))).toEqual(['700', '700', '700', '600', '600']);
});

it('a run leaves nothing in the state folder that others can reach', async () => {
  const { project } = await scripted({ 1: [[done()]] });
  await project.json('add', 'One');
  await project.within('run');
  const { stateDir } = findProject(project.root);
  expect(modeOf(stateDir)).toBe('700');
  const databases = readdirSync(stateDir).filter((name) => name.startsWith('ralph.db'));
  expect(new Set(databases.map((name) => modeOf(join(stateDir, name))))).toEqual(new Set(['600']));
});

it('a file that its owner made read-only stays read-only', () => {
  const state = tempDir();
  const file = join(state, 'ralph.db');
  writeFileSync(file, 'x');
  chmodSync(file, 0o444);
  chmodSync(state, 0o755);
  makePrivate(state);
  expect([modeOf(state), modeOf(file)]).toEqual(['700', '400']);
});

it('Ralph changes nothing outside a state folder through a link in it', () => {
  const [state, elsewhere] = [tempDir(), join(tempDir(), 'file')];
  writeFileSync(elsewhere, 'x');
  chmodSync(elsewhere, 0o644);
  symlinkSync(elsewhere, join(state, 'link'));
  chmodSync(state, 0o755);
  makePrivate(state);
  expect([modeOf(state), modeOf(elsewhere)]).toEqual(['700', '644']);
});
