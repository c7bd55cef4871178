/** What a scripted agent does: a shell line in the project, told in words where it is worth it, a verb, or an early end. */
export type Step =
  | { shell: string; says?: string }
  | { verb: string; args: Record<string, unknown> }
  | { exit: number };
