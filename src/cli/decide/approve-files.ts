import type { Project } from '../../app/open-project.ts';
import type { Output } from '../../app/world.ts';
import { showableFiles } from '../../files/read-files.ts';
import { secretMatcher } from '../../files/secret-files.ts';
import { readConfig } from '../../project/read-config.ts';
import {
  approveFiles as approve,
  approvedFileMessages,
  suggestedFiles,
} from '../../queue/tasks/context-files.ts';
import { oneLine } from '../../text/terminal/style.ts';

/** Approves the suggested files that still exist and hold no secrets. */
export async function approveFiles({ queue, root }: Project, feature: string | undefined): Promise<Output> {
  const isSecret = secretMatcher((await readConfig(root)).knowledge.secrets);
  const suggested = await suggestedFiles(queue, feature);
  const fit = await showableFiles(
    root,
    suggested.map(({ path }) => path),
    isSecret,
  );
  const approved = await approve(queue, (path) => fit.has(path), feature);
  return { json: approved, text: approvedFileMessages(approved).map(oneLine).join('\n') };
}
