// The log of one gate of a session: where it is, and all of it.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { gateLogName } from '../../domain/sessions/artifact.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { plainOutput } from '../../domain/sessions/gate-output.ts';
import { visible } from '../../domain/text/text.ts';
import { readLines } from '../../files/read-lines.ts';
import { openArtifacts } from '../../host/artifacts/artifacts.ts';
import { isOnThisMachine } from '../../host/processes/process-identity.ts';
import { storedArtifacts } from '../../queue/sessions/artifacts.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import { shortPath } from '../../text/session-text.ts';
import { shortId } from '../../text/terminal/style.ts';

/** Its path; the command that shows it, if the folder of the session is not on this machine. */
export const locateLog =
  (session_id: string, cwd: string) =>
  ({ name, log }: Pick<GateResult, 'name' | 'log'>): string | null => {
    if (log === null) return null;
    if (existsSync(join(dirname(log), '..'))) return shortPath(log, cwd);
    return `ralph log ${shortId(session_id)} --gate ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}`;
  };

export async function showGateLog(
  { pipes, asJson }: CommandContext,
  { queue, stateDir }: Project,
  id: string,
  name: string,
): Promise<Output> {
  const { gates, run } = await showSession(queue, id);
  const gate = gates.findLast((one) => one.name === name);
  if (gate === undefined)
    throw new Refusal(`Session ${shortId(id)} has had no gate "${name}"; ${gateNames(gates)}`);
  const log = gate.log === null ? null : gateLogName(id, gate.log);
  const artifacts = openArtifacts(stateDir, storedArtifacts(queue));
  const place = { session_id: id, isElsewhere: !isOnThisMachine(run) };
  const file = log === null ? null : await artifacts.open(place, log);
  if (file === null)
    throw new Refusal(
      `The log of the gate "${name}" is neither here nor in the database${run.host == null ? '' : `; look for it on ${run.host}`}.`,
    );
  await file.close();
  const lines: string[] = [];
  for await (const line of readLines(() => artifacts.open(place, log ?? ''))) {
    if (asJson) lines.push(line);
    else pipes.print(`${plainOutput(line).split('\n').map(visible).join('\n')}\n`);
  }
  return { json: { session_id: id, ...gate, lines }, text: '' };
}

const gateNames = (gates: readonly Pick<GateResult, 'name'>[]): string =>
  gates.length === 0 ? 'no gate has run in it.' : `it has had ${gates.map(({ name }) => name).join(', ')}.`;
