// One small file of each kind that can be imported.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../../src/domain/exchange/backlog.ts';

export const IMPORT_FOLDER = join(import.meta.dirname, '../fixtures/import');

export const IMPORT_FILES: Readonly<Record<Source, string>> = {
  implementation: 'implementation.json',
  prd: 'prd.json',
  'task-master': 'task-master.json',
  beads: 'beads.jsonl',
  'backlog-md': 'backlog-md.md',
  ccpm: 'ccpm/lending/002.md',
  'claude-tasks': 'todos.json',
  github: 'github.json',
  jira: 'jira.csv',
  linear: 'linear.csv',
  markdown: 'checklist.md',
};

export const importFile = (source: Source): string =>
  readFileSync(join(IMPORT_FOLDER, IMPORT_FILES[source]), 'utf8');
