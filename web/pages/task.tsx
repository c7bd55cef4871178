export function TaskPage() {
  return <h1>Task</h1>;
}
