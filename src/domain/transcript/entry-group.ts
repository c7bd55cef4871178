import { endMark } from './entry-line.ts';
import type { Entry } from './transcript.ts';

/** What somebody wants to see of a session, and nothing else. */
export const ENTRY_GROUPS = ['text', 'tools', 'errors'] as const;
export type EntryGroup = (typeof ENTRY_GROUPS)[number];

export function groupsOf(entry: Entry): EntryGroup[] {
  switch (entry.kind) {
    case 'text':
    case 'thought':
    case 'told':
    case 'line':
      return ['text'];
    case 'tool':
      return ['tools'];
    case 'answer':
      return entry.is_error ? ['tools', 'errors'] : ['tools'];
    case 'retry':
      return ['errors'];
    case 'result':
      return endMark(entry) === '✗' ? ['text', 'errors'] : ['text'];
    case 'started':
    case 'note':
      return [];
  }
}
