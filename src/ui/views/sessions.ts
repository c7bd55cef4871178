import { z } from 'zod';
import type { Session } from '../../domain/sessions/session.ts';
import { listSessions } from '../../queue/sessions/sessions.ts';
import { status } from '../../queue/tasks/status.ts';
import { from, idText } from '../fields.ts';
import { defineView } from '../view.ts';

const SESSIONS_PER_PAGE = 50;

/** Newest first. */
export type SessionsView = {
  sessions: readonly (Session & { title: string; isAlive: boolean })[];
  total: number;
  /** Sessions per page. */
  page: number;
};

export const sessions = defineView({
  path: '/api/sessions',
  input: z.strictObject({
    run: idText.optional(),
    task: idText.optional(),
    open: z.literal('1').optional(),
    from,
  }),
  read: async ({ queue, isAlive }, { run, task, open, from: offset }): Promise<SessionsView> => {
    const filter = {
      ...(run !== undefined && { run_id: run }),
      ...(task !== undefined && { task_id: task }),
      ...(open !== undefined && { isOpen: true as const }),
    };
    const found = await listSessions(queue, filter, SESSIONS_PER_PAGE, offset);
    const alive = new Set((await status(queue)).runs.filter(isAlive).map(({ id }) => id));
    return {
      sessions: found.sessions
        .reverse()
        .map((session) => ({ ...session, isAlive: alive.has(session.run_id) })),
      total: found.total,
      page: SESSIONS_PER_PAGE,
    };
  },
});
