import { isReplaced } from '../queue/queue.ts';
import type { UiOffice } from './backend.ts';

const REPLACED =
  'The database of this project was deleted or replaced: what you see is what it held before, and nothing can be changed. End ralph ui with Ctrl-C and start it again.';

/** What keeps the page from being what the project is, in a sentence. What files say comes in on the way. */
export async function troubleOf({ queue, sync }: Pick<UiOffice, 'queue' | 'sync'>): Promise<string | null> {
  if (isReplaced(queue)) return REPLACED;
  const { refusal, note } = await sync();
  return refusal ?? note;
}
