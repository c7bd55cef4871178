import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { initialised, type TestProject } from '../../../support/ralph.ts';

type Finding = { name: string; ok: boolean; detail: string };

/** The findings of `ralph doctor --slots` about gates and slots, by name. */
async function trySlots({ within }: TestProject): Promise<Record<string, Finding>> {
  const { checks }: { checks: Finding[] } = JSON.parse((await within('doctor', '--slots', '--json')).stdout);
  const before = checks.findIndex(({ name }) => /^(run |slots?$)/.test(name));
  return Object.fromEntries(checks.slice(before).map((finding) => [finding.name, finding]));
}

async function projectWith(config: string, files: Readonly<Record<string, string>>): Promise<TestProject> {
  const project = await initialised();
  const { root, home } = project;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  writeFileSync(join(root, '.ralph/config.yaml'), config);
  const env = { HOME: home, PATH: process.env['PATH'] };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env });
  git('add', '.');
  git('-c', 'user.name=Pat', '-c', 'user.email=pat@example.com', 'commit', '-q', '-m', 'first');
  await project.json('trust', '--yes');
  return project;
}

it('ralph doctor --slots finds nothing wrong where setup makes what the gates need', async () => {
  const project = await projectWith(
    'gates: [{ name: test, command: test -f made/it }]\nslots: { setup: mkdir made && touch made/it }\n',
    { '.gitignore': 'made/\n', 'made/it': '' },
  );
  const found = await trySlots(project);
  expect(Object.values(found).every(({ ok }) => ok)).toBe(true);
  expect(Object.keys(found)).toEqual(['run test', 'slot', 'slot test']);
  expect(found['slot']?.detail).toMatch(
    /^gates-1 was ready in .*, with its setup: mkdir made && touch made\/it$/,
  );
  // Again in the same slot: what the first setup left is gone before the second one.
  expect((await trySlots(project))['slot test']?.ok).toBe(true);
});

it('ralph doctor --slots names the likely causes of a gate that is red in the slot only', async () => {
  const project = await projectWith(
    'gates: [{ name: test, command: test -f .env && test -f node_modules/a }]\n',
    {
      '.gitignore': '.env\nnode_modules/\n',
      '.env': 'A=1\n',
      'node_modules/a': '',
      'package-lock.json': '{}',
      'a.txt': 'one\n',
    },
  );
  writeFileSync(join(project.root, 'a.txt'), 'two\n');
  const found = await trySlots(project);
  expect(found['run test']).toMatchObject({ ok: true });
  expect(found['slot test']).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^failed in .*doctor\/slot\/test\.log \(it passes in your checkout\)$/),
  });
  expect(found['setup']?.detail).toContain('slots: { setup: "npm ci", stamp: ["package-lock.json"] }');
  expect(found['settings']?.detail).toBe(
    'slots have no .env; name it in a file .worktreeinclude, and each slot gets a copy',
  );
  expect(found['ignored']?.detail).toContain(
    'git ignores 2 paths that your checkout has and a slot lacks: .env, node_modules/. Let',
  );
  expect(found['uncommitted']?.detail).toContain('begin with: a.txt. Commit');
});

it('ralph doctor --slots lists ten missing paths at most, and none that the setup makes', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `made-${index + 10}`);
  const config =
    'gates: [{ name: test, command: test -f made-10 }]\nslots: { setup: touch made-0-by-setup }\n';
  const project = await projectWith(config, {
    '.gitignore': 'made-*\n',
    'made-0-by-setup': '',
    ...Object.fromEntries(names.map((name) => [name, ''])),
  });
  const detail = (await trySlots(project))['ignored']?.detail;
  expect(detail).toContain(`${names.slice(0, 10).join(', ')} and 2 more.`);
});

it('ralph doctor --slots runs gates with the home that they have in a run', async () => {
  const project = await projectWith(
    'gates: [{ name: test, command: wc -l ~/tool/settings.txt ~/.large }]\n',
    {
      'a.txt': '',
    },
  );
  mkdirSync(join(project.home, 'tool'));
  writeFileSync(join(project.home, 'tool/settings.txt'), 'mine\n');
  // Larger than what Ralph copies.
  writeFileSync(join(project.home, '.large'), 'mine\n'.repeat(300_000));
  const found = await trySlots(project);
  expect([found['run test']?.ok, found['slot test']?.ok]).toEqual([true, false]);
  expect(found['slot test']?.detail).toMatch(
    /\.large: No such file or directory.*\(it passes in your checkout\)$/,
  );
  const slots = join(project.home, '.local/state/ralph/slots');
  const left = readdirSync(slots, { recursive: true, encoding: 'utf8' });
  expect(left.filter((path) => path.endsWith('tool'))).toEqual([]);
});

it('ralph doctor --slots does not blame the slot for a gate that is red in both', async () => {
  const project = await projectWith('gates: [{ name: test, command: "false" }]\n', { 'a.txt': '' });
  expect(Object.keys(await trySlots(project))).toEqual(['run test', 'slot', 'slot test']);
});

it('ralph doctor --slots reports a setup that fails, and a repository that cannot have slots', async () => {
  const broken = await projectWith('slots: { setup: echo no network; exit 1 }\n', { 'a.txt': '' });
  expect((await trySlots(broken))['slots']).toMatchObject({
    ok: false,
    detail: expect.stringContaining('The setup of a slot failed (echo no network; exit 1): no network.'),
  });
  const plain = await initialised({ git: false });
  expect((await trySlots(plain))['slots']?.detail).toContain('this project is in no git repository');
});

it('ralph doctor --slots runs nothing that a person has not trusted', async () => {
  const project = await projectWith('', { 'a.txt': '' });
  const sprung = join(project.home, 'sprung');
  writeFileSync(join(project.root, '.ralph/config.yaml'), `slots: { setup: touch ${sprung} }\n`);
  expect((await trySlots(project))['slots']?.detail).toContain('that you have not trusted yet');
  expect(existsSync(sprung)).toBe(false);
});
