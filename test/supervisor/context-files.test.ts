import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, type ScriptedProject, scripted } from '../support/scripted-agent.ts';

/** Three sessions of the feature each had to look for the same file. */
async function searched(config: string, features: string): Promise<ScriptedProject> {
  const found = [{ verb: 'add_context_file', args: { path: 'auth.ts' } }, done()];
  const scene = await scripted({ 1: [found], 2: [found], 3: [found], 4: [[done()]] }, config);
  writeFileSync(join(scene.project.root, 'auth.ts'), 'export const auth = 1;\n');
  writeFileSync(join(scene.project.root, '.ralph/features.yaml'), features);
  scene.git('add', 'auth.ts');
  scene.git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Begin');
  for (const title of ['One', 'Two', 'Three']) await scene.project.json('add', title, '--feature', 'auth');
  expect(await scene.project.within('run')).toMatchObject({ code: 0 });
  return scene;
}

const OPEN = 'features: [{ name: auth }]\n';

it('a file that sessions of a feature touch again and again becomes its context file when a person says so', async () => {
  const { project } = await searched('', OPEN);
  await project.json('add', 'Four', '--feature', 'auth');
  const prompt = async () => (await project.within('prompt', '4')).stdout;
  expect(await prompt()).not.toContain('export const auth');
  expect((await project.within('status')).stdout).toContain(
    '~ 1 file that sessions look for again and again   ralph approve --files',
  );
  expect(await project.within('approve', '--files')).toMatchObject({
    stdout: 'auth: auth.ts (3 sessions) is now given to every session of this feature.\n',
  });
  expect(await prompt()).toContain('export const auth');
  expect(await project.within('approve', '--files')).toMatchObject({
    stdout: 'Sessions touch no other file often enough to suggest it.\n',
  });
});

it('the configuration can approve context files, and Ralph does not suggest a file that is gone', async () => {
  const { project } = await searched('knowledge: { auto_context: true }\n', OPEN);
  await project.json('add', 'Four', '--feature', 'auth');
  expect((await project.within('prompt', '4')).stdout).toContain('export const auth');
  const other = await searched('', OPEN);
  rmSync(join(other.project.root, 'auth.ts'));
  expect(await other.project.json('approve', '--files')).toEqual({ added: [], theirs: [] });
});

it('only the person changes context files that the definition file names', async () => {
  const { project } = await searched(
    'knowledge: { auto_context: true }\n',
    'features: [{ name: auth, context_files: [other.ts] }]\n',
  );
  expect(await project.within('approve', '--files', '--feature', 'auth')).toMatchObject({
    code: 0,
    stdout:
      'auth: auth.ts (3 sessions): add it to context_files in .ralph/features.yaml; only you change that file.\n',
  });
  expect(await project.within('approve', '--files', '1')).toMatchObject({ code: 2 });
});
