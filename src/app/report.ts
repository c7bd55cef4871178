import { isAlive } from '../host/processes/process-identity.ts';
import type { Queue } from '../queue/queue.ts';
import { type Report, report } from '../queue/sessions/report.ts';
import { graph } from '../queue/tasks/graph.ts';
import { reportHtml } from '../text/report/report-html.ts';
import { type ReportView, runPicture } from '../text/report/report-parts.ts';

/** Reads what reportHtml renders: this run, or the latest one that had a session. */
export async function reportPage(queue: Queue, run_id: number | null, now: number): Promise<string> {
  const run = await report(queue, run_id);
  return reportHtml(run, runPicture(await graph(queue, {}), run, now), reportView(run, now));
}

export const reportView = ({ run }: Report, now: number): ReportView => ({
  isRunning: run.ended === null && isAlive(run),
  now,
});
