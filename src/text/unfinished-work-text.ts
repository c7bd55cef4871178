// How a person sees the changes of a task that is not done, and takes them out of the work tree.

/** One pair a line: what it does, and the command to type in the project's folder. */
export function unfinishedCommands(task_id: number, isInTree: boolean): string[] {
  const ref = `refs/ralph/task-${task_id}`;
  const see = `see   git diff ${ref}~ ${ref}`;
  // The reverse patch leaves everything else in the tree alone, and the ref keeps a copy of what it takes out.
  return isInTree ? [see, `drop  git diff --binary ${ref} ${ref}~ | git apply`] : [see];
}
