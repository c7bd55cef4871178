import { fitFiles } from '../knowledge/fit-files.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { secretMatcher } from '../knowledge/secrets.ts';
import { approveFiles as approve, suggestedFiles, toldApproved } from '../queue/context-files.ts';
import type { Output } from './command.ts';
import type { Project } from './project.ts';
import { oneLine } from './style.ts';

/** What was touched again and again, if it is still there and may be shown. */
export async function approveFiles({ queue, root }: Project, feature: string | undefined): Promise<Output> {
  const isSecret = secretMatcher((await readConfig(root)).knowledge.secrets);
  const suggested = await suggestedFiles(queue, feature);
  const fit = await fitFiles(
    root,
    suggested.map(({ path }) => path),
    isSecret,
  );
  const approved = await approve(queue, (path) => fit.has(path), feature);
  return { json: approved, text: toldApproved(approved).map(oneLine).join('\n') };
}
