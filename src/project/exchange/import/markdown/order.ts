// The order that a numbered checklist states: a box waits for the one before it, and boxes marked [P] go side by side.
import type { Box } from './document.ts';

export type OrderedBox = { box: Box; id: string; isParallel: boolean; phase: number };

/** More links than this between two groups say less than they cost. */
const MAX_LINKS = 2_500;

/** The ids that each box waits for. Parts of a box are ordered among themselves; a phase waits for the one before it. */
export function orderBoxes(
  boxes: readonly OrderedBox[],
  problem: (text: string) => void,
): Map<Box, readonly string[]> {
  const siblings = new Map<Box | null, OrderedBox[]>();
  for (const one of boxes) {
    const others = siblings.get(one.box.parent);
    if (others === undefined) siblings.set(one.box.parent, [one]);
    else others.push(one);
  }
  const waits = new Map<Box, readonly string[]>();
  for (const ordered of siblings.values()) {
    let before: OrderedBox[] = [];
    for (const group of groupsOf(ordered)) {
      const isTooMuch = before.length * group.length > MAX_LINKS;
      if (isTooMuch)
        problem(
          `${group[0]?.id} and ${group.length - 1} more would each wait for ${before.length} tasks; each waits for the last of them.`,
        );
      const ids = (isTooMuch ? before.slice(-1) : before).map(({ id }) => id);
      for (const { box } of group) waits.set(box, ids);
      // Nothing waits for what is optional.
      const needed = group.filter(({ box }) => !box.isOptional);
      if (needed.length > 0) before = needed;
    }
  }
  return waits;
}

/** Boxes that may run side by side follow each other in one phase. */
function groupsOf(ordered: readonly OrderedBox[]): OrderedBox[][] {
  const groups: OrderedBox[][] = [];
  for (const one of ordered) {
    const last = groups.at(-1)?.at(-1);
    if (one.isParallel && last?.isParallel && last.phase === one.phase) groups.at(-1)?.push(one);
    else groups.push([one]);
  }
  return groups;
}
