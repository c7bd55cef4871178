// Values in files that .worktreeinclude copies into slots: an agent and a gate can print them, and Ralph keeps none.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callTool, connectWithin, takeTask } from '../support/mcp.ts';
import type { TestProject } from '../support/ralph.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

const VALUE = 'Zq8-w22fx-LmN4-77';

const CHANGED = 'Zq9-k41pw-TrX2-58';

/** The person's `.env`, which holds one value, is copied into slots. */
async function withEnv(attempts: Parameters<typeof scripted>[0]): Promise<ScriptedProject> {
  const made = await scripted(attempts);
  const { project, git } = made;
  const write = (name: string, text: string): void => writeFileSync(join(project.root, name), text);
  write('.gitignore', '.env\n');
  write('.worktreeinclude', '.env\n');
  git('add', '.gitignore', '.worktreeinclude');
  git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Include');
  write('.env', `SHOP_CODE=${VALUE}\n`);
  return made;
}

it('a value of a file that .worktreeinclude names is stored, shown and committed nowhere', async () => {
  const { project, config, git } = await withEnv({
    1: [
      [
        shell('echo 1 > 1.txt; cat .env; cat .env >&2'),
        { verb: 'learned', args: { text: `The key is ${VALUE}.`, kind: 'discovery', scope: 'project' } },
        done(`Uses ${VALUE}.`),
      ],
    ],
    2: [[shell('grep -o Zq.* .env > leak.txt'), done()]],
  });
  await config('gates: [{ name: test, command: "cat .env; test -e 1.txt || true" }]\n');
  await project.json('add', 'One');
  await project.json('add', 'Two');
  const { stdout, stderr } = await project.within('run', '--json');
  expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  expect(JSON.stringify(await project.json('status'))).toMatch(/leak\.txt/);
  expect(keptFiles(project, VALUE)).toEqual([]);
  expect(`${stdout}${stderr}`).not.toContain(VALUE);
  expect(git('log', '-p', '--branches')).not.toContain(VALUE);
});

it.each([
  ['slots', []],
  ['the checkout', ['--in-place']],
])(
  'a value that the person changes during a run in %s is stored and committed nowhere, as the old one',
  async (_, options) => {
    const { project, config, git, write } = await withEnv({});
    const file = join(project.root, '.env');
    write(1, [
      [shell(`echo 1 > 1.txt; cp .env ${project.home}/old; echo SHOP_CODE=${CHANGED} > ${file}`), done()],
    ]);
    write(2, [
      [
        shell('grep -o Zq.* .env > leak.txt; cat .env; cat .env >&2'),
        { verb: 'learned', args: { text: `The key is ${CHANGED}.`, kind: 'discovery', scope: 'project' } },
        done(`Uses ${CHANGED}.`),
      ],
    ]);
    write(3, [[shell(`grep -o Zq.* ${project.home}/old > old.txt`), done()]]);
    await config('gates: [{ name: test, command: "cat .env" }]\n');
    for (const title of ['One', 'Two', 'Three']) await project.json('add', title);
    await project.within('run', ...options);
    const status = JSON.stringify(await project.json('status'));
    expect(status).toMatch(/leak\.txt/);
    expect(status).toMatch(/old\.txt/);
    for (const value of [VALUE, CHANGED]) {
      expect(keptFiles(project, value)).toEqual([]);
      expect(git('log', '-p', '--branches')).not.toContain(value);
    }
  },
);

it('a value that changed while an agent read the file itself is not committed', async () => {
  const { project, write, git } = await withEnv({});
  const file = join(project.root, '.env');
  write(1, [[shell(`echo SHOP_CODE=${CHANGED} > ${file}; grep -o Zq.* ${file} > leak.txt`), done()]]);
  await project.json('add', 'One');
  await project.within('run');
  expect(JSON.stringify(await project.json('status'))).toMatch(/leak\.txt/);
  expect(git('log', '-p', '--branches')).not.toContain(CHANGED);
});

it('a value that changed after a client had started is stored and committed nowhere', async () => {
  const { project, config, git } = await withEnv({});
  await config('gates: [{ name: test, command: "cat .env" }]\n');
  await project.json('add', 'One');
  const client = await connectWithin(project);
  await callTool(client, 'list_tasks');
  writeFileSync(join(project.root, '.env'), `SHOP_CODE=${CHANGED}\n`);
  const slot = await takeTask(client);
  writeFileSync(join(slot, 'leak.txt'), readFileSync(join(slot, '.env')));
  await callTool(client, 'done', { summary: `Uses ${CHANGED}.` });
  expect(JSON.stringify(await project.json('status'))).toMatch(/leak\.txt/);
  expect(keptFiles(project, CHANGED)).toEqual([]);
  expect(git('log', '-p', '--branches')).not.toContain(CHANGED);
});

/** Ralph's own files that contain the value. */
const keptFiles = ({ root }: TestProject, value: string): string[] =>
  filesBelow(join(root, '.git/ralph')).filter((path) => readFileSync(path).includes(value));

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
