// What a page shows of a gate: its result, and the end of its log.
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { leavesProject } from '../../files/own-file.ts';
import { type FileEnd, readEnd } from '../../files/read-end.ts';
import { sessionDir } from '../../host/session-folder.ts';
import { resolveSessionId, showSession } from '../../queue/sessions/sessions.ts';
import { text } from '../fields.ts';
import { defineView } from '../view.ts';

/** `failure`: the first useful line of its output, empty where it passed. The page need not load the code that finds it. */
export type ShownGate = GateResult & { failure: string };

export const showGate = (gate: GateResult): ShownGate => ({
  ...gate,
  failure: gate.passed ? '' : firstFailure(gate),
});

/** More than a person reads in a page. */
const MAX_LOG_BYTES = 200 * 1024;

export type GateLogView = FileEnd;

export const gateLog = defineView({
  path: '/api/sessions/:id/gate',
  input: z.strictObject({ id: text, name: text }),
  read: async ({ queue, stateDir }, { id: prefix, name }): Promise<GateLogView> => {
    const id = await resolveSessionId(queue, prefix);
    const gate = (await showSession(queue, id)).gates.findLast((one) => one.name === name);
    if (gate === undefined) throw new Refusal(`Session ${id} has had no gate "${name}".`);
    const { log } = gate;
    const end =
      log !== null && isOwn(sessionDir(stateDir, id), log) ? await readEnd(log, MAX_LOG_BYTES) : null;
    if (end === null)
      throw new Refusal(`The log of the gate "${name}" is missing: it was not saved, or it was moved.`);
    return end;
  },
});

/** False where an agent has put a link in the log's place: it may lead to a file outside of the session. */
const isOwn = (folder: string, log: string): boolean =>
  existsSync(folder) && !leavesProject(folder, relative(folder, log));
