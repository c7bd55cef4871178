import { useProject } from '../project.ts';
import { Text } from './text.tsx';

/** With its colour, where it has one. */
export function DisciplineName({ name }: { name: string | null }) {
  const found = useProject()?.disciplines.find((one) => one.name === name);
  if (name === null) return null;
  return (
    <span class="discipline">
      {found?.color != null && <span class="dot" style={{ backgroundColor: found.color }} />}
      <Text>{name}</Text>
    </span>
  );
}
