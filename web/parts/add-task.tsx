import { signal } from '@preact/signals';
import { TaskForm } from './task-form.tsx';

const isAdding = signal(false);

export function addTask(): void {
  isAdding.value = true;
}

function stop(): void {
  isAdding.value = false;
}

/** On every page, behind one key. */
export const AddTask = () => (isAdding.value ? <TaskForm task={null} onClose={stop} /> : null);
