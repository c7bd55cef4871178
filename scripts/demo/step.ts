/** What a scripted agent does: a shell line in the project, a verb, or an early end. */
export type Step = { shell: string } | { verb: string; args: Record<string, unknown> } | { exit: number };
