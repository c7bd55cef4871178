/** Counted as the task's failures are, so a usage limit makes no new one; the last is the last before it has failed. */
export const attemptOf = (
  { attempts, stuck_count }: { attempts: number; stuck_count: number },
  max_attempts: number,
): number => Math.min(max_attempts, Math.max(attempts, stuck_count) + 1);
