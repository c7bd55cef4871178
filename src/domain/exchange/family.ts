// Which task is a part of which, answered without walking up the family for each question.

export type Family = {
  /** Whether the task is a part of the whole, directly or not. */
  isPartOf(id: number, whole: number): boolean;
  /** All tasks with a parent or parts; a whole comes before its parts. */
  ids: readonly number[];
};

/** `parentOf` must have no cycle. Not recursive, because a family may be thousands of levels deep. */
export function readFamily(parentOf: ReadonlyMap<number, number>): Family {
  const parts = new Map<number, number[]>();
  for (const [id, parent] of parentOf) {
    const siblings = parts.get(parent);
    if (siblings === undefined) parts.set(parent, [id]);
    else siblings.push(id);
  }
  const ids: number[] = [];
  /** By task: its own place in `ids`, and that of the last of its parts. */
  const places = new Map<number, { own: number; last: number }>();
  const open = [...parts.keys()].filter((id) => !parentOf.has(id));
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const place = places.get(id);
    if (place === undefined) {
      places.set(id, { own: ids.length, last: ids.length });
      ids.push(id);
      for (const part of parts.get(id) ?? []) open.push(part);
    } else {
      place.last = ids.length - 1;
      open.pop();
    }
  }
  return {
    ids,
    isPartOf: (id, whole) => {
      const [part, all] = [places.get(id), places.get(whole)];
      return part !== undefined && all !== undefined && all.own < part.own && part.own <= all.last;
    },
  };
}
