// Sessions in a real project's database, as a run would leave them; their streams are written by hand.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { identify } from '../../src/host/processes/process-identity.ts';
import { databasePath, findProject } from '../../src/host/project.ts';
import { sessionDir } from '../../src/host/session-folder.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { initialised, type TestProject } from './ralph.ts';

export type Worked = TestProject & {
  queue: Queue;
  run_id: number;
  /** Takes the next task, and puts this into the session's stream. */
  begin(session_id: string, stream?: string): Promise<{ task_id: number; stream: string; folder: string }>;
};

export async function workedProject(...titles: string[]): Promise<Worked> {
  const project = await initialised();
  const { stateDir } = findProject(project.root);
  for (const title of titles) await project.json('add', title);
  const queue = await openQueue(databasePath(stateDir));
  onTestFinished(() => closeQueue(queue));
  const run_id = await startRun(queue, identify(process.pid));
  return {
    ...project,
    queue,
    run_id,
    begin: async (session_id, stream) => {
      const claimed = await claim(queue, { run_id, session_id });
      if (claimed === null) throw new Error('nothing is ready');
      const folder = sessionDir(stateDir, session_id);
      mkdirSync(folder, { recursive: true });
      const file = join(folder, 'stream.jsonl');
      if (stream !== undefined) writeFileSync(file, stream);
      return { task_id: claimed.task.id, stream: file, folder };
    },
  };
}
