/** What a scripted agent does: a shell line in the project, told in words where it is worth it, a verb, or an early end. */
export type Step =
  | { shell: string; says?: string }
  /** `insists`: where it is refused for having changed nothing, it changes something and says it again. */
  | { verb: string; args: Record<string, unknown>; insists?: true }
  | { exit: number };
