// Values in files that .worktreeinclude copies into slots: an agent and a gate can print them, and Ralph keeps none.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted-agent.ts';

const VALUE = 'Zq8-w22fx-LmN4-77';

it('a value of a file that .worktreeinclude names is stored, shown and committed nowhere', async () => {
  const { project, config, git } = await scripted({
    1: [
      [
        shell('echo 1 > 1.txt; cat .env; cat .env >&2'),
        { verb: 'learned', args: { text: `The key is ${VALUE}.`, kind: 'discovery', scope: 'project' } },
        done(`Uses ${VALUE}.`),
      ],
    ],
    2: [[shell('grep -o Zq.* .env > leak.txt'), done()]],
  });
  const write = (name: string, text: string): void => writeFileSync(join(project.root, name), text);
  write('.gitignore', '.env\n');
  write('.worktreeinclude', '.env\n');
  git('add', '.gitignore', '.worktreeinclude');
  git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Include');
  write('.env', `SHOP_CODE=${VALUE}\n`);
  await config('gates: [{ name: test, command: "cat .env; test -e 1.txt || true" }]\n');
  await project.json('add', 'One');
  await project.json('add', 'Two');
  const { stdout, stderr } = await project.within('run', '--json');
  expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  expect(JSON.stringify(await project.json('status'))).toMatch(/leak\.txt/);
  const kept = filesBelow(join(project.root, '.git/ralph')).filter((path) =>
    readFileSync(path).includes(VALUE),
  );
  expect(kept).toEqual([]);
  expect(`${stdout}${stderr}`).not.toContain(VALUE);
  expect(git('log', '-p', '--branches')).not.toContain(VALUE);
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
