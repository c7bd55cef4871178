import { plural } from '../domain/text.ts';
import { findFiles } from '../knowledge/find-files.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { secretMatcher } from '../knowledge/secrets.ts';
import { approveFiles as approve, suggestedFiles, type TouchedFile } from '../queue/context-files.ts';
import type { Output } from './command.ts';
import type { Project } from './project.ts';
import { oneLine } from './style.ts';

/** What was touched again and again, if it is still there and may be shown. */
export async function approveFiles({ queue, root }: Project, feature: string | undefined): Promise<Output> {
  const isSecret = secretMatcher((await readConfig(root)).knowledge.secrets);
  const fit = new Set<string>();
  for (const { path } of await suggestedFiles(queue, feature)) {
    const [found] = await findFiles(root, path);
    if (found?.kind === 'file' && !isSecret(found.path) && !isSecret(found.real)) fit.add(path);
  }
  const approved = await approve(queue, (path) => fit.has(path), feature);
  const { added, theirs } = approved;
  const lines = [
    ...added.map((file) => `${named(file)} is given to every session of it now.`),
    ...theirs.map(
      (file) => `${named(file)}: add it to context_files in .ralph/features.yaml, which belongs to you.`,
    ),
  ];
  return {
    json: approved,
    text: lines.join('\n') || 'No file is touched again and again that is not given already.',
  };
}

const named = ({ feature, path, sessions }: TouchedFile): string =>
  `${oneLine(feature)}: ${oneLine(path)} (${plural(sessions, 'session')})`;
