// Many relays to one supervisor, some of them killed: what was acknowledged is there, and nothing is there twice.
import { expect, it } from 'vitest';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { initialize, type RawServer, rawServer, toolCall } from '../support/mcp.ts';
import { initialised, type TestProject } from '../support/ralph.ts';
import { atWork, sessionServer } from '../support/session-server.ts';

const RELAYS = 8;
const CALLS = 125;
const KILLED = 4;

it('8 relays and 1,000 calls at once: each acknowledged call is one row, a SIGKILL in the middle or not', async () => {
  const project = await initialised();
  const server = await sessionServer(project);
  const { queue } = server;
  for (let count = 0; count < RELAYS; count++) await project.json('add', `Task ${count}`);
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const sessions = Array.from({ length: RELAYS }, (_, index) => `session-${index}`);
  for (const session_id of sessions) await claim(queue, { run_id, session_id });

  const acknowledged = await Promise.all(
    sessions.map(async (session_id, index) => {
      const { env } = await atWork(server, { session_id, root: project.root });
      return sayAll(project, env, index < KILLED ? 20 + 25 * index : null);
    }),
  );

  expect(acknowledged.flat()).toHaveLength(RELAYS * CALLS);
  const rows = await queue.store.read((db) =>
    db.selectFrom('signals').select(['session_id', 'call_id']).execute(),
  );
  const keys = rows.map(({ session_id, call_id }) => `${session_id} ${call_id}`);
  expect(keys.sort()).toEqual(acknowledged.flat().sort());
  expect(new Set(keys).size).toBe(RELAYS * CALLS);
});

/** Sends every call at once; the relay that is killed on the way is followed by another, which gets what was not answered. */
async function sayAll(
  project: TestProject,
  env: Readonly<Record<string, string>>,
  killAfter: number | null,
): Promise<string[]> {
  const answered = new Set<number>();
  for (let left = killAfter; answered.size < CALLS; left = null) {
    const server = rawServer(project, env);
    server.send(initialize(0));
    await server.answer(0);
    const open = Array.from({ length: CALLS }, (_, id) => id + 1).filter((id) => !answered.has(id));
    for (const id of open)
      server.send(toolCall(id, 'learned', { text: `Fact ${id}`, kind: 'discovery' }, `toolu_${id}`));
    await drain(server, open, answered, left);
  }
  return [...answered].map((id) => `${env['RALPH_SESSION_ID']} toolu_${id}`);
}

function drain(
  server: RawServer,
  open: readonly number[],
  answered: Set<number>,
  killAfter: number | null,
): Promise<void> {
  let rest = '';
  let count = 0;
  return new Promise((over) => {
    server.child.stdout.on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { id, result } = JSON.parse(line);
        expect(result?.content?.[0]?.text).toMatch(/^Recorded/);
        answered.add(id);
        count += 1;
        if (count === killAfter) server.child.kill('SIGKILL');
      }
      if (count >= open.length) server.child.stdin.end();
    });
    void server.exited.then(() => over());
  });
}
