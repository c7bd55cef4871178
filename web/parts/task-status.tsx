import { stateWord } from '../../src/domain/tasks/status-word.ts';
import type { Task } from '../../src/domain/tasks/task.ts';
import { clock } from '../clock.ts';
import { Status } from './status.tsx';

type Props = { task: Pick<Task, 'status' | 'open_blockers' | 'not_before'>; isLeftBehind?: boolean };

/** Only what waits for a time looks at the clock. */
export const TaskStatus = ({ task, isLeftBehind = false }: Props) => (
  <Status word={stateWord(task, task.not_before === null ? 0 : clock.value, isLeftBehind)} />
);
