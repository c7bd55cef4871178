import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBetterSqlite } from '../../../../src/store/better-sqlite.ts';
import { runWithin, testProject } from '../../../support/ralph.ts';

function webshopProject() {
  const project = testProject();
  cpSync('test/fixtures/webshop', project.root, { recursive: true });
  return project;
}

it('ralph prompt prints exactly what an agent would get, the same every time', async () => {
  const { within, json } = webshopProject();
  const { stdout } = await within('prompt', '4');
  const written = (await json('prompt', '4')) as {
    system: string;
    prompt: string;
    hash: string;
    sections: { name: string; bytes: number; tokens: number }[];
  };
  expect(stdout).toBe(`${written.system}\n${written.prompt}`.trim().concat('\n'));
  expect((await json('prompt', '4')) as object).toEqual(written);
  expect(written.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(written.sections.find(({ name }) => name === 'task_details')?.tokens).toBeGreaterThan(50);
});

it('ralph prompt --explain explains each section within 80 columns', async () => {
  const { root, home, within } = webshopProject();
  const full = await within('prompt', '4', '--explain');
  expect(full.stdout).toContain('Who am I, what standards do I follow, and what tools do I have?');
  const { stdout } = await runWithin(['prompt', '4', '--explain'], {
    cwd: root,
    env: { HOME: home, PATH: process.env['PATH'] },
    columns: 80,
  });
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/\d+ bytes, about \d+ tokens, hash [0-9a-f]{12}/);
});

it("ralph prompt --diff shows what changed since the last session's prompt", async () => {
  const { root, within, json } = webshopProject();
  expect(await within('prompt', '1', '--diff')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is nothing to compare with'),
  });
  const { prompt } = (await json('prompt', '1')) as { prompt: string };
  const database = openBetterSqlite(join(root, '.git/ralph/ralph.db'));
  database.exec(
    "insert into runs (id, pid, started) values (1, 1, 1); insert into sessions (id, run_id, task_id, token, started, ended, outcome) values ('s1', 1, 1, 1, 1, 2, 'stuck')",
  );
  database.close();
  mkdirSync(join(root, '.git/ralph/sessions/s1'), { recursive: true });
  writeFileSync(
    join(root, '.git/ralph/sessions/s1/prompt.md'),
    prompt.replace('Hash passwords', 'Hash the passwords'),
  );
  const { stdout } = await within('prompt', '1', '--diff');
  expect(stdout).toContain('-## Your task: #1 Hash the passwords with scrypt');
  expect(stdout).toContain('+## Your task: #1 Hash passwords with scrypt');
});

it("ralph prompt applies the project's overrides, and refuses an unknown section", async () => {
  const { root, within } = webshopProject();
  mkdirSync(join(root, '.ralph/recipes'));
  writeFileSync(
    join(root, '.ralph/recipes/task_execution.yaml'),
    'off: [state_files]\ntext: { house: "## House rules\\n\\nNo tabs." }',
  );
  const { stdout } = await within('prompt', '4');
  expect(stdout).toContain('No tabs.');
  expect(stdout).not.toContain('Progress so far');
  writeFileSync(join(root, '.ralph/recipes/task_execution.yaml'), 'off: [state_file]');
  expect(await within('prompt', '4')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no section "state_file"; did you mean "state_files"?'),
  });
});

it('ralph prompt prints every recipe', async () => {
  const { within } = webshopProject();
  for (const recipe of ['braindump', 'yap', 'ramble', 'discuss', 'opus_review', 'enrichment', 'plan']) {
    const { code, stdout } = await within('prompt', '10', '--recipe', recipe);
    expect({ code, recipe }).toEqual({ code: 0, recipe });
    expect(stdout).toContain('# Project: Webshop');
  }
  expect(readFileSync('test/fixtures/webshop/dot-env', 'utf8')).toContain('never-in-a-prompt');
});
