// An agent that met a limit or an outage starts nothing for a while. The others go on.

/** `until`: when to try it again; null if the run has waited long enough for it. */
export type ParkedAgent = { agent: string; until: number | null };

/** The agents that may start nothing now. */
export const parkedNow = <Parked extends ParkedAgent>(parked: Iterable<Parked>, now: number): Parked[] =>
  [...parked].filter(({ until }) => until === null || until > now);

/** What to wait for if nobody else can work: the agent that may try first. */
export const firstToTry = <Parked extends ParkedAgent>(parked: readonly Parked[]): Parked | null =>
  parked.reduce<Parked | null>((first, one) => (untilOf(one) < untilOf(first) ? one : (first ?? one)), null);

const untilOf = (parked: ParkedAgent | null): number => parked?.until ?? Number.POSITIVE_INFINITY;
