import type { Backlog } from '../../../../domain/exchange/backlog.ts';
import { type Collector, collect } from '../collect.ts';
import { readChecklist } from './checklist.ts';
import { allSections, parseDocument } from './document.ts';
import { findTaskHeadings, readPlan } from './plan.ts';

export function recognisesMarkdown(text: string, file = 'file'): boolean {
  const root = parseDocument(text, file);
  return allSections(root).some(({ boxes }) => boxes.length > 0) || findTaskHeadings(root).length > 0;
}

export function readMarkdown(text: string, file: string): Backlog {
  const collector = collect();
  addMarkdown(collector, text, file, null);
  return collector.backlog({ source: 'markdown', board: null, isOneBoard: false, partsFirst: true });
}

/** `owner`: the feature of all tasks, if the file belongs to a folder that is one. */
export function addMarkdown(collector: Collector, text: string, file: string, owner: string | null): void {
  const root = parseDocument(text, file);
  const headings = findTaskHeadings(root);
  if (headings.length > 0) readPlan(collector, root, headings);
  else readChecklist(collector, root, owner);
}
