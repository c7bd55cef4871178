// For work beside each other that starts processes.

/** As `Promise.all`, but no promise is still at work when it throws: git may be writing a ref. */
export async function allEnded<T extends readonly unknown[]>(
  promises: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
