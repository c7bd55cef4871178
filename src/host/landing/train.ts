// The train: sessions of this process land one after another, in the order in which they said done.

export type Train = {
  /** Resolves when it is this session's turn. A session that is in the train already keeps its place. */
  enter(session_id: string, task_id: number): Promise<void>;
  leave(session_id: string): void;
  /** The tasks that land before this session's, first of all the one at work. */
  behind(session_id: string): number[];
};

type Waiting = { session_id: string; task_id: number; begin: () => void };

export function openTrain(onChange: () => void = () => {}): Train {
  let line: Waiting[] = [];
  return {
    enter: (session_id, task_id) => {
      const place = line.findIndex((one) => one.session_id === session_id);
      if (place === 0) return Promise.resolve();
      return new Promise((begin) => {
        if (place > 0) line = line.filter((one) => one.session_id !== session_id);
        line = [...line, { session_id, task_id, begin }];
        onChange();
        if (line[0]?.session_id === session_id) begin();
      });
    },
    leave: (session_id) => {
      const isFirst = line[0]?.session_id === session_id;
      line = line.filter((one) => one.session_id !== session_id);
      if (isFirst) line[0]?.begin();
      onChange();
    },
    behind: (session_id) => {
      const place = line.findIndex((one) => one.session_id === session_id);
      return line.slice(0, Math.max(0, place)).map(({ task_id }) => task_id);
    },
  };
}
