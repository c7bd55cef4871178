import { plural } from '../text/text.ts';

const MOST_NAMED = 3;

/** What a person is told of files that changed while a gate ran. */
export function gateChangesText({ gate, files }: { gate: string; files: readonly string[] }): string {
  const more = files.length > MOST_NAMED ? ` and ${plural(files.length - MOST_NAMED, 'more file')}` : '';
  return `${files.slice(0, MOST_NAMED).join(', ')}${more} changed while the gate ${gate} ran; no commit of a task holds that`;
}

export const unsignedText = (reason: string): string =>
  `commits are not signed although commit.gpgsign asks for it: ${reason.replace(/\.$/, '')}; unlock the key, or sign them later`;
