import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { leavesProject } from '../../files/own-file.ts';
import { type FileEnd, readEnd } from '../../files/read-end.ts';
import { sessionDir } from '../../host/project.ts';
import { sessionIdOf, showSession } from '../../queue/sessions/sessions.ts';
import { text } from '../fields.ts';
import { defineView } from '../view.ts';

/** Nobody reads more of it in a page. */
const MAX_LOG_BYTES = 200 * 1024;

export type GateLogView = FileEnd;

export const gateLog = defineView({
  path: '/api/sessions/:id/gate',
  input: z.strictObject({ id: text, name: text }),
  read: async ({ queue, stateDir }, { id: given, name }): Promise<GateLogView> => {
    const id = await sessionIdOf(queue, given);
    const gate = (await showSession(queue, id)).gates.findLast((one) => one.name === name);
    if (gate === undefined) throw new Refusal(`Session ${id} has had no gate "${name}".`);
    const { log } = gate;
    const end =
      log !== null && isOwn(sessionDir(stateDir, id), log) ? await readEnd(log, MAX_LOG_BYTES) : null;
    if (end === null)
      throw new Refusal(`The log of the gate "${name}" is not there: nobody has kept it, or it was moved.`);
    return end;
  },
});

/** An agent may have put a link in its place, which leads to what is nobody's business. */
const isOwn = (folder: string, log: string): boolean =>
  existsSync(folder) && !leavesProject(folder, relative(folder, log));

/** `failure`: the first useful line of what it said, empty where it passed. Found here: a page need not load how. */
export type ShownGate = GateResult & { failure: string };

export const showGate = (gate: GateResult): ShownGate => ({
  ...gate,
  failure: gate.passed ? '' : firstFailure(gate),
});
