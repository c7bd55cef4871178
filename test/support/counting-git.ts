// A git that notes what it is asked for. How often Ralph starts git decides how long it takes between two sessions.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findExecutable } from '../../src/host/processes/find-executable.ts';
import { tempDir } from './temp.ts';

/** `PATH`: begins with that git. `notes`: where others may note something. `calls`: the notes since the last call, such as `read-tree`. */
export function countingGit(): { PATH: string; notes: string; calls(): string[] } {
  const folder = tempDir();
  const notes = join(folder, 'notes');
  const path = process.env['PATH'] ?? '';
  const real = findExecutable('git', path);
  // Each of Ralph's own settings comes as `-c name=value` before the command.
  const script = `#!/bin/sh
for word; do
  case $word in -c|--no-pager) ;; *=*) ;; *) echo "$word" >>'${notes}'; break ;; esac
done
exec '${real}' "$@"
`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return {
    PATH: `${folder}${delimiter}${path}`,
    notes,
    calls: () => {
      const lines = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [];
      rmSync(notes, { force: true });
      return lines;
    },
  };
}
