// A session whose queue is on PostgreSQL, with a password in the address: neither the agent nor anything that is kept has it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, inject, it } from 'vitest';
import { postgresClient, testDatabase } from '../support/postgres.ts';
import { runRalph, runWithin } from '../support/ralph.ts';
import { done, scripted } from '../support/scripted-agent.ts';
import '../support/skip-without-postgres.ts';

const PASSWORD = 'q8-Only-In-The-Address';

/** The environment and the command lines of all processes, of which one may end meanwhile. */
const dump = (file: string): string =>
  `{ env; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' '; } > ${file} || true`;

/** By their paths. */
function filesBelow(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

/** By their names, as other machines read them. */
async function artifactsIn(database: string): Promise<Map<string, string>> {
  const client = await postgresClient(database);
  const { rows } = await client.query<{ name: string; body: Buffer }>(
    'select name, body from ralph.artifacts',
  );
  return new Map(rows.map(({ name, body }) => [name, inflateRawSync(body).toString('utf8')]));
}

it('the password of the database reaches no agent, gate or process list, and nothing that Ralph keeps or prints has it', async () => {
  const { project, promptOf, config, write } = await scripted({});
  const { root, home } = project;
  const [ofAgent, ofGate, found] = [join(home, 'agent.dump'), join(home, 'gate.dump'), join(home, 'found')];
  const built = { shell: `echo work > 1.txt; ${dump(ofAgent)}`, says: `I found ${PASSWORD}` };
  write(1, [[built, done(`Done with ${PASSWORD}`)]]);
  // They may come across it nevertheless, here in a file of the person.
  writeFileSync(found, `I found ${PASSWORD}\n`);
  const gate = JSON.stringify(`cat ${found}; ${dump(ofGate)}`);
  await config(`env: [RALPH_DATABASE_URL]\ngates: [{ name: test, command: ${gate} }]\n`);
  const url = new URL(await testDatabase());
  url.password = PASSWORD;
  const env = { HOME: home, PATH: process.env['PATH'], RALPH_DATABASE_URL: url.href };
  expect(await runWithin(['add', 'One'], { cwd: root, env })).toMatchObject({ code: 0 });
  const printed = await runRalph(['run'], { cwd: root, env });
  expect(printed).toMatchObject({ code: 0 });

  const dumps = filesBelow(home);
  // Both have seen the process that knows the password.
  for (const file of [ofAgent, ofGate]) expect(dumps.get(file)).toContain(`${inject('ralph')} run`);
  const artifacts = await artifactsIn(url.pathname.slice(1));
  expect([...artifacts.keys()].sort()).toEqual(['gates/test.log', 'prompt.md', 'stream.jsonl', 'system.md']);
  for (const name of ['gates/test.log', 'stream.jsonl'])
    expect(artifacts.get(name)).toContain('I found <masked>');
  const log = await runWithin(['log', '1'], { cwd: root, env });
  const places = new Map([
    ['the dump of the agent', dumps.get(ofAgent)],
    ['the dump of the gate', dumps.get(ofGate)],
    ['the prompt', promptOf(1, 0)],
    ['the output of ralph run', printed.stdout + printed.stderr],
    ['the output of ralph log', log.stdout + log.stderr],
    ...filesBelow(join(root, '.git/ralph')),
    ...artifacts,
  ]);
  expect([...places].filter(([, text]) => text?.includes(PASSWORD)).map(([place]) => place)).toEqual([]);
});
