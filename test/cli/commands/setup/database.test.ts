// `ralph database` on a real server. Runs with the tests on PostgreSQL.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { LOCKED_ROLE } from '../../../../scripts/postgres.ts';
import { identify } from '../../../../src/host/processes/process-identity.ts';
import { closeQueue, openQueue } from '../../../../src/queue/queue.ts';
import { startRun } from '../../../../src/queue/sessions/runs.ts';
import { postgresClient, testDatabase } from '../../../support/postgres.ts';
import { initialised, runRalph, runWithin, type TestProject } from '../../../support/ralph.ts';

const PASSWORD = 'k3-Correct-Horse';

const recordOf = ({ root }: TestProject): string => join(root, '.git/ralph/database.json');

const tasksOf = async (project: TestProject): Promise<unknown> => project.json('list');

it('a queue moves to PostgreSQL and back, and every command follows it', async () => {
  const [project, url] = [await initialised(), await testDatabase()];
  await project.json('add', 'One');
  await project.json('add', 'Two', '--depends-on', '1');
  const before = await tasksOf(project);
  expect(await project.json('database', 'copy', url)).toMatchObject({ moved: true });
  expect(await tasksOf(project)).toEqual(before);
  expect(statSync(recordOf(project)).mode & 0o777).toBe(0o600);
  expect(
    execFileSync('git', ['status', '--porcelain', '--ignored'], { cwd: project.root, encoding: 'utf8' }),
  ).not.toContain('database.json');
  await project.json('add', 'Three');
  expect(await project.json('database')).toMatchObject({
    kind: 'postgresql',
    tasks: 3,
    moved: null,
    durable: false,
  });
  expect(await project.json('database', 'migrate')).toMatchObject({ migrated: false });
  const { checks } = JSON.parse((await project.within('doctor', '--json')).stdout);
  // The server of the tests does without fsync.
  expect(checks).toContainEqual({
    name: 'postgresql',
    ok: false,
    detail: expect.stringContaining('fsync or full_page_writes is off at postgres://'),
  });
  const after = await tasksOf(project);
  expect(await project.json('database', 'copy', 'sqlite')).toMatchObject({ moved: true });
  expect(existsSync(recordOf(project))).toBe(false);
  expect(await tasksOf(project)).toEqual(after);
  // The file that the queue had left is kept.
  expect(
    readdirSync(join(project.root, '.git/ralph')).filter((name) => name.endsWith('.moved')),
  ).toHaveLength(1);
  // Whoever still uses the address hears where the queue went.
  const { stderr } = await project.within('add', 'Four', '--database', url);
  expect(stderr).toMatch(/moved to .*ralph\.db/);
});

it('a project with tasks of its own uses another queue only if a person says so', async () => {
  const [project, url] = [await initialised(), await testDatabase()];
  await project.json('add', 'One');
  const refused = await project.within('database', 'use', url);
  expect(refused.stderr).toMatch(/The 1 task of .* stay.* behind.* add --yes/);
  expect(existsSync(recordOf(project))).toBe(false);
  await project.json('database', 'use', url, '--yes');
  expect(await tasksOf(project)).toEqual([]);
  await project.json('database', 'use', 'sqlite');
  expect(await tasksOf(project)).toHaveLength(1);
});

it('neither copy nor use goes on while a run works on the queue', async () => {
  const [project, url] = [await initialised(), await testDatabase()];
  const queue = await openQueue(join(project.root, '.git/ralph/ralph.db'));
  onTestFinished(() => closeQueue(queue));
  await startRun(queue, identify(process.pid));
  for (const action of ['copy', 'use']) {
    const { code, stderr } = await project.within('database', action, url);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/end it first|run that is at work/),
    });
  }
});

it('a password is refused on the command line, read from standard input, and shown nowhere', async () => {
  const [project, url] = [await initialised(), new URL(await testDatabase())];
  url.password = PASSWORD;
  const options = { cwd: project.root, env: { HOME: project.home, PATH: process.env['PATH'] } };
  for (const args of [
    ['database', 'use', url.href],
    ['list', '--database', url.href],
  ]) {
    const { code, stdout, stderr } = await project.within(...args);
    expect(code).toBe(1);
    expect(stderr).toContain('ralph database use -');
    expect(stdout + stderr).not.toContain(PASSWORD);
  }
  const used = await runWithin(['database', 'use', '-'], { ...options, stdin: `${url.href}\n` });
  expect(used).toMatchObject({ code: 0 });
  expect(readFileSync(recordOf(project), 'utf8')).toContain(PASSWORD);
  // What a person or an agent writes with it in it is masked.
  await project.json('add', `Log in with ${PASSWORD}`);
  const shown = [
    used,
    await project.within('list'),
    await project.within('database'),
    await project.within('doctor'),
  ];
  for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain(PASSWORD);
  const client = new pg.Client(url.href);
  await client.connect();
  onTestFinished(() => client.end());
  expect((await client.query('select title from ralph.tasks')).rows).toEqual([
    { title: expect.not.stringContaining(PASSWORD) },
  ]);
});

it('the address comes from the environment, and from a service file that it names', async () => {
  const [project, url] = [await initialised(), new URL(await testDatabase())];
  const services = join(project.home, 'services.conf');
  writeFileSync(
    services,
    `[team]\nhost=${url.hostname}\nport=${url.port}\nuser=postgres\ndbname=${url.pathname.slice(1)}\n`,
  );
  const env = { HOME: project.home, PATH: process.env['PATH'], PGSERVICEFILE: services };
  const ran = await runWithin(['database', '--json'], {
    cwd: project.root,
    env: { ...env, RALPH_DATABASE_URL: 'postgres://?service=team' },
  });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    kind: 'postgresql',
    place: `postgres://postgres@127.0.0.1:${url.port}${url.pathname}?schema=ralph`,
  });
});

it('a role logs in with the password of PGPASSFILE, and a wrong one is explained without it', async () => {
  const [project, url] = [await initialised(), new URL(await testDatabase())];
  const client = await postgresClient(url.pathname.slice(1));
  await client.query(
    `drop role if exists ${LOCKED_ROLE}; create role ${LOCKED_ROLE} superuser login password '${PASSWORD}'`,
  );
  url.username = LOCKED_ROLE;
  const [file, other] = [join(project.home, 'passwords'), join(project.home, 'others')];
  for (const [path, password] of [
    [file, PASSWORD],
    [other, 'another-one'],
  ] as const) {
    writeFileSync(path, `*:*:*:*:${password}\n`);
    chmodSync(path, 0o600);
  }
  const env = { HOME: project.home, PATH: process.env['PATH'], RALPH_DATABASE_URL: url.href };
  const status = (PGPASSFILE: string) =>
    runRalph(['database', 'status'], { cwd: project.root, env: { ...env, PGPASSFILE } });
  expect(await status(file)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`as ${LOCKED_ROLE}`),
  });
  const refused = await status(other);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`refused the login of ${LOCKED_ROLE}`),
  });
  expect(refused.stderr).not.toContain('another-one');
});

it('a database that cannot be reached is named without a stack, and the file is not used instead', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  writeFileSync(
    recordOf(project),
    JSON.stringify({ address: `postgres://ralph:${PASSWORD}@127.0.0.1:1/ralph` }),
  );
  const { code, stdout, stderr } = await project.within('list');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'ralph: PostgreSQL at postgres://ralph@127.0.0.1:1/ralph?schema=ralph cannot be reached; check that it runs, and the network to it.\n',
  );
  writeFileSync(recordOf(project), '{');
  expect((await project.within('list')).stderr).toContain('database.json is damaged');
});

it('a second project is refused the schema of the first, a clone of the first is not, and a person may join them', async () => {
  const [first, second, url] = [await initialised(), await initialised(), await testDatabase()];
  for (const project of [first, second]) {
    // Otherwise both would begin with the commit of the test's template.
    execFileSync('git', ['update-ref', '-d', 'HEAD'], { cwd: project.root });
    execFileSync('git', ['add', '-A'], { cwd: project.root });
    const commit = ['commit', '-q', '--allow-empty', '-m', `First of ${project.root}`];
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@e', ...commit], { cwd: project.root });
  }
  await first.json('database', 'use', url, '--yes');
  await first.json('add', 'One');
  const env = { HOME: first.home, PATH: process.env['PATH'], RALPH_DATABASE_URL: url };
  const list = (root: string) => runWithin(['list', '--json'], { cwd: root, env });
  const clone = join(first.home, 'clone');
  execFileSync('git', ['clone', '-q', first.root, clone]);
  expect(await list(clone)).toMatchObject({ code: 0, stdout: expect.stringContaining('One') });
  const refused = await second.within('database', 'use', url, '--yes');
  expect(refused.stderr).toMatch(
    /belongs to another project, which begins with commit [0-9a-f]{10}; .*schema/,
  );
  expect(existsSync(recordOf(second))).toBe(false);
  expect((await list(second.root)).stderr).toContain('belongs to another project');
  await second.json('database', 'use', url, '--yes', '--same-project');
  expect((await list(second.root)).code).toBe(0);
  expect((await list(first.root)).code).toBe(0);
});
