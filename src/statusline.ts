// What the launcher asks first for `ralph statusline`: the project that Claude Code names, and the line that an earlier start stored.
import { readFileSync } from 'node:fs';
import { asObject, parseJsonLine, textOrNull } from './domain/transcript/json.ts';
import { findProject } from './host/project.ts';
import { readStoredLine } from './host/status-line.ts';

/** The folder in which Claude Code was started; null if it does not say. */
export function readFolder(file: string | number = 0): string | null {
  try {
    const input = parseJsonLine(readFileSync(file, 'utf8')) ?? {};
    return textOrNull(asObject(input['workspace'])['project_dir']) ?? textOrNull(input['cwd']);
  } catch {
    return null;
  }
}

export function readLine(folder: string, now: number): string | null {
  try {
    return readStoredLine(findProject(folder).stateDir, now);
  } catch {
    return null;
  }
}
