// Work that no session waits for.

export type Background = {
  /** Has begun already. The run fails at its end if this fails. */
  add(work: Promise<unknown>): void;
  /** Begins when there is time, or when the run ends: people wait for the time between two sessions. */
  later(task_id: number, work: () => Promise<unknown>): void;
  /** There is time: an agent is at work, or no session can start. */
  begin(): void;
  /** A session of this task begins. It must not find, or lose, what an earlier one left to do. */
  before(task_id: number): Promise<void>;
  ended(): Promise<void>;
};

type Waiting = { task_id: number; work(): Promise<unknown> };

export function openBackground(): Background {
  const atWork = new Map<Promise<unknown>, number | null>();
  let waiting: Waiting[] = [];
  const add = (work: Promise<unknown>, task_id: number | null = null): void => {
    atWork.set(work, task_id);
    work.then(
      () => atWork.delete(work),
      () => {},
    );
  };
  const begin = (isNow: (one: Waiting) => boolean = () => true): void => {
    const now = waiting.filter(isNow);
    waiting = waiting.filter((one) => !now.includes(one));
    for (const { task_id, work } of now) add(work(), task_id);
  };
  return {
    add: (work) => add(work),
    later: (task_id, work) => void waiting.push({ task_id, work }),
    begin: () => begin(),
    before: async (task_id) => {
      begin((one) => one.task_id === task_id);
      await Promise.all([...atWork].flatMap(([work, of]) => (of === task_id ? [work] : [])));
    },
    ended: async () => {
      begin();
      await Promise.all(atWork.keys());
    },
  };
}
