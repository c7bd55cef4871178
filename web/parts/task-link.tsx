import { Text } from './text.tsx';

export const TaskLink = ({ id, title }: { id: number; title: string }) => (
  <a class="task-link" href={`/tasks/${id}`}>
    <span class="id">#{id}</span> <Text>{title}</Text>
  </a>
);
