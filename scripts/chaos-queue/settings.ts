/** Short, so that a round takes seconds. */
export const LEASE = { leaseMs: 1_600, everyMs: 300 };
