import { randomBytes } from 'node:crypto';

/** Long enough for a browser that has to start first. */
const VALID_FOR_MS = 60_000;

/** What stands in the address that a browser is started with, instead of the token. */
export type Tickets = {
  issue(): string;
  /** True for each but once, and not for long. */
  take(ticket: string): boolean;
};

export function openTickets(now: () => number): Tickets {
  const until = new Map<string, number>();
  return {
    issue: () => {
      for (const [ticket, end] of until) if (end < now()) until.delete(ticket);
      const ticket = `once-${randomBytes(16).toString('hex')}`;
      until.set(ticket, now() + VALID_FOR_MS);
      return ticket;
    },
    take: (ticket) => {
      const end = until.get(ticket);
      until.delete(ticket);
      return end !== undefined && now() <= end;
    },
  };
}
