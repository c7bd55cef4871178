import { z } from 'zod';
import { type Report, report as readReport } from '../../queue/sessions/report.ts';
import { type ListedRun, runList } from '../../queue/sessions/runs.ts';
import { idText } from '../fields.ts';
import { defineView } from '../view.ts';

const RUNS_PER_PAGE = 50;

export type RunsView = {
  /** Running ones first, the rest newest first. */
  runs: readonly (ListedRun & { isRunning: boolean })[];
  more: boolean;
};

export const runs = defineView({
  path: '/api/runs',
  input: z.strictObject({ before: idText.optional() }),
  read: async ({ queue, isAlive }, { before = null }): Promise<RunsView> => {
    const found = await runList(queue, RUNS_PER_PAGE, before);
    const listed = found.runs.map((run) => ({ ...run, isRunning: run.ended === null && isAlive(run) }));
    return {
      runs: listed.sort((one, other) => Number(other.isRunning) - Number(one.isRunning)),
      more: found.more,
    };
  },
});

export type RunView = Report & { isRunning: boolean };

export const run = defineView({
  path: '/api/runs/:id',
  input: z.strictObject({ id: idText }),
  read: async ({ queue, isAlive }, { id }): Promise<RunView> => {
    const found = await readReport(queue, id);
    return { ...found, isRunning: found.run.ended === null && isAlive(found.run) };
  },
});

export const runReport = defineView({
  path: '/api/runs/:id/report',
  input: z.strictObject({ id: idText }),
  read: ({ reportHtml }, { id }): Promise<string> => reportHtml(id),
});
