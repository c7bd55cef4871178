export function TasksPage() {
  return <h1>Tasks</h1>;
}
