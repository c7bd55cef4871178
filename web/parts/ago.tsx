import { age } from '../../src/domain/text/amounts.ts';
import { clock } from '../clock.ts';

// Made once: to make one takes longer than all the rest of a row, and there are many rows, each told anew every second.
const exact = new Intl.DateTimeFormat([], { dateStyle: 'short', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' });

export const Ago = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={exact.format(at)}>
    {age(Math.max(0, clock.value - at))} ago
  </time>
);

/** How long it has been going on. */
export const Since = ({ at }: { at: number }) => <>{age(Math.max(0, clock.value - at))}</>;

/** For what lies further back than anybody counts. */
export const At = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()}>{short.format(at)}</time>
);
