import { join } from 'node:path';
import type { Usage } from '../domain/sessions/session.ts';
import { readLines } from '../files/read-lines.ts';
import { sessionDir } from '../host/project.ts';
import type { Agent } from './agent.ts';
import { heardOf, NOT_RUN } from './session-end.ts';

/** What a session had consumed when its supervisor died, as far as its stream tells. */
export async function recoveredUsage(agent: Agent, stateDir: string, session_id: string): Promise<Usage> {
  let end = NOT_RUN;
  for await (const line of readLines(join(sessionDir(stateDir, session_id), 'stream.jsonl')))
    for (const observation of agent.observe(line)) end = heardOf(end, observation);
  return end.usage;
}
