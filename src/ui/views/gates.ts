// What a page shows of a gate: its result, and the end of its log.
import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { gateLogName } from '../../domain/sessions/artifact.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { type FileEnd, readFileEnd } from '../../files/read-lines.ts';
import { isOnThisMachine } from '../../host/processes/process-identity.ts';
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
  read: async ({ queue, artifacts }, { id: prefix, name }): Promise<GateLogView> => {
    const id = await resolveSessionId(queue, prefix);
    const { gates, run } = await showSession(queue, id);
    const gate = gates.findLast((one) => one.name === name);
    if (gate === undefined) throw new Refusal(`Session ${id} has had no gate "${name}".`);
    const log = gate.log === null ? null : gateLogName(id, gate.log);
    const place = { session_id: id, isElsewhere: !isOnThisMachine(run) };
    const end = log === null ? null : await readFileEnd(() => artifacts.open(place, log), MAX_LOG_BYTES);
    if (end === null)
      throw new Refusal(`The log of the gate "${name}" is missing: it was not saved, or it was moved.`);
    return end;
  },
});
