import { randomBytes } from 'node:crypto';

/** Long enough for a browser to start. */
const VALID_FOR_MS = 60_000;

/** A ticket stands in for the token in the address that Ralph starts a browser with: other users can read a command line. */
export type Tickets = {
  issue(): string;
  /** True once per ticket, within 60 s. */
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
