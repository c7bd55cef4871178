import { isAlive } from '../host/process-identity.ts';
import { graph } from '../queue/graph.ts';
import type { Queue } from '../queue/queue.ts';
import { type Report, report } from '../queue/report.ts';
import { runPicture } from './report-graph.ts';
import { reportHtml } from './report-html.ts';
import type { ReportView } from './report-parts.ts';

/** The impure twin of reportHtml: of this run, or of the latest one that came as far as a session. */
export async function reportPage(queue: Queue, run_id: number | null, now: number): Promise<string> {
  const found = await report(queue, run_id);
  return reportHtml(found, runPicture(await graph(queue, {}), found, now), viewOf(found, now));
}

export const viewOf = ({ run }: Report, now: number): ReportView => ({
  isRunning: run.ended === null && isAlive(run),
  now,
});
