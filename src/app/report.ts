import { isAlive } from '../host/processes/process-identity.ts';
import type { Queue } from '../queue/queue.ts';
import { type Report, report } from '../queue/sessions/report.ts';
import { graph } from '../queue/tasks/graph.ts';
import { runPicture } from '../text/report/report-graph.ts';
import { reportHtml } from '../text/report/report-html.ts';
import type { ReportView } from '../text/report/report-parts.ts';

/** The impure twin of reportHtml: of this run, or of the latest one that came as far as a session. */
export async function reportPage(queue: Queue, run_id: number | null, now: number): Promise<string> {
  const found = await report(queue, run_id);
  return reportHtml(found, runPicture(await graph(queue, {}), found, now), reportView(found, now));
}

export const reportView = ({ run }: Report, now: number): ReportView => ({
  isRunning: run.ended === null && isAlive(run),
  now,
});
