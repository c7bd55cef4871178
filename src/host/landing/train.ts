// The train: sessions of this process land one after another, in the order in which they said done.

export type Train = {
  /** Resolves when it is this session's turn. A session that is in the train already keeps its place. */
  enter(session_id: string, task_id: number): Promise<void>;
  leave(session_id: string): void;
  /** The tasks that land before this session's, first of all the one at work. */
  behind(session_id: string): number[];
  /** Tells those behind which commit the trunk will have once this session has landed. */
  expect(session_id: string, commit: string): void;
  /** What the session directly before this one expects; null if there is none, or if it left without an expectation. */
  expectedBefore(session_id: string): Promise<string | null>;
};

type Waiting = {
  session_id: string;
  task_id: number;
  turn: Promise<void>;
  begin(): void;
  expected: Promise<string | null>;
  expect(commit: string | null): void;
};

const newPlace = (session_id: string, task_id: number): Waiting => {
  const turn = deferred<void>();
  const { promise: expected, resolve: expect } = deferred<string | null>();
  return { session_id, task_id, turn: turn.promise, begin: turn.resolve, expected, expect };
};

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}

export function openTrain(): Train {
  let line: Waiting[] = [];
  const findPlace = (session_id: string): number => line.findIndex((one) => one.session_id === session_id);
  return {
    enter: (session_id, task_id) => {
      const place = line[findPlace(session_id)] ?? newPlace(session_id, task_id);
      if (!line.includes(place)) line = [...line, place];
      if (line[0] === place) place.begin();
      return place.turn;
    },
    leave: (session_id) => {
      const place = findPlace(session_id);
      line[place]?.expect(null);
      line = line.filter((one) => one.session_id !== session_id);
      if (place === 0) line[0]?.begin();
    },
    behind: (session_id) => line.slice(0, Math.max(0, findPlace(session_id))).map(({ task_id }) => task_id),
    expect: (session_id, commit) => {
      const place = line[findPlace(session_id)];
      if (place === undefined) return;
      place.expect(commit);
      // A prediction of its own may have come first. A session that enters from here on builds on what is known by now.
      place.expected = Promise.resolve(commit);
    },
    expectedBefore: async (session_id) => (await line[findPlace(session_id) - 1]?.expected) ?? null,
  };
}

/** For sessions of dead runs, which are finished one after another before any other begins. */
export const NO_TRAIN: Train = {
  enter: async () => {},
  leave: () => {},
  behind: () => [],
  expect: () => {},
  expectedBefore: async () => null,
};
