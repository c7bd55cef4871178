// What happens next: a heap by time.

export type Entry = { at: number; worker: number; step: 'claim' | 'land' | 'settle' };

export type Agenda = { add(entry: Entry): void; next(): Entry };

export function openAgenda(): Agenda {
  const heap: Entry[] = [];
  const at = (place: number): number => heap[place]?.at ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [heap[other] as Entry, heap[one] as Entry];
  };
  return {
    add: (entry) => {
      let place = heap.push(entry) - 1;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        if (at(parent) <= at(place)) return;
        swap(place, parent);
        place = parent;
      }
    },
    next: () => {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined) throw new Error('Nothing happens any more.');
      if (heap.length > 0) heap[0] = last;
      for (let place = 0; ; ) {
        const left = 2 * place + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= at(place)) return first;
        swap(place, child);
        place = child;
      }
    },
  };
}
