import { age } from '../../src/domain/amounts.ts';
import { clock } from '../clock.ts';

export const Ago = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
    {age(Math.max(0, clock.value - at))} ago
  </time>
);

/** How long it has been going on. */
export const Since = ({ at }: { at: number }) => <>{age(Math.max(0, clock.value - at))}</>;

/** For what lies further back than anybody counts. */
export const At = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()}>
    {new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })}
  </time>
);
