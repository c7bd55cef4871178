import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted-agent.ts';

it('what an agent plants in the home folder changes no gate of its work', async () => {
  const plant =
    'printf "script-shell=/bin/true\\n" | tee "$HOME/.npmrc" > "$HOME/.cargo/config.toml"; echo 1 > 1.txt';
  const { project, config } = await scripted({ 1: [[shell(plant), done()]] });
  await config(
    'max_attempts: 1\ngates: [{ name: home, command: "test -d ~/.cargo/registry -a ! -e ~/.npmrc -a ! -e ~/.cargo/config.toml" }]\n',
  );
  mkdirSync(join(project.home, '.cargo/registry'), { recursive: true });
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(existsSync(join(project.home, '.npmrc'))).toBe(true);
  expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
});
