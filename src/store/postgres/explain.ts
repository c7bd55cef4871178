// Every class of error that PostgreSQL and the way to it can answer with, as a sentence with its repair.
import { NotPermitted, Refusal, Unreachable, Unusable } from '../../domain/refusal.ts';
import { describeAddress, type PostgresAddress } from './address.ts';

const code = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

const message = (error: unknown): string => (error instanceof Error ? error.message : '');

/** The connection is gone, or was never made. What was asked for last may have happened. */
export const isConnectionLost = (error: unknown): boolean =>
  /^(08|57P0[1-5]|25P03|E[A-Z]+$)/.test(code(error)) ||
  (code(error) === '' &&
    /Connection terminated|timeout expired|Query read timeout|timeout exceeded when trying to connect|connection error/i.test(
      message(error),
    ));

const isNotPermitted = (error: unknown): boolean => code(error) === '42501';

/** Passes by itself: the server starts, stops or is full. */
export const isPassing = (error: unknown): boolean => isConnectionLost(error) || /^53300$/.test(code(error));

type Repair = (address: PostgresAddress, place: string) => string;

const REPAIRS: readonly [RegExp, Repair][] = [
  [
    /^28/,
    ({ user }, place) =>
      `PostgreSQL refused the login of ${user} at ${place}; check the password and the server's pg_hba.conf. Ralph takes the password from ralph database use, RALPH_DATABASE_URL or PGPASSFILE.`,
  ],
  [
    /^3D000/,
    ({ database }, place) =>
      `There is no database ${database} at ${place}; create it with: createdb ${database}`,
  ],
  [
    /^(3F000|42P01|42883|42703)/,
    (_, place) => `The tables of Ralph are missing or incomplete at ${place}; run: ralph database migrate`,
  ],
  [
    /^42501/,
    ({ user }, place) =>
      `The role ${user} may not do this at ${place}; give it the rights of a worker (docs/database.md), or use the role of the owner.`,
  ],
  [
    /^25006/,
    (_, place) =>
      `The database at ${place} is read-only: it is a standby, or its disk is nearly full; use the primary server.`,
  ],
  [
    /^53300/,
    (_, place) =>
      `PostgreSQL at ${place} has no connection left; raise max_connections, or stop some workers.`,
  ],
  [/^53100/, (_, place) => `The disk of PostgreSQL at ${place} is full; free some space and try again.`],
  [
    /^53/,
    (_, place) =>
      `PostgreSQL at ${place} has too little memory or another resource; see its log, then try again.`,
  ],
  [
    /^(40P01|40001)/,
    (_, place) => `Another write at ${place} was in the way, and nothing was changed; try again.`,
  ],
  [
    /^55P03/,
    (_, place) =>
      `Other writers kept the queue at ${place} locked, and nothing was changed; try again, and see pg_locks if it stays so.`,
  ],
  [/^57014/, (_, place) => `PostgreSQL at ${place} took too long, and nothing was changed; try again.`],
  [
    /^(25P0[34]|57P05)/,
    (_, place) =>
      `This process was too slow within a change at ${place}, and nothing was changed; try again.`,
  ],
  [/^57P0[123]/, (_, place) => `PostgreSQL at ${place} is being stopped or started; try again in a moment.`],
  [
    /^58|^XX/,
    (_, place) => `PostgreSQL at ${place} reports damage or a failing disk; see its log first of all.`,
  ],
  [
    /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO)/,
    ({ host }, place) =>
      `The certificate of PostgreSQL at ${place} cannot be verified for ${host}; name the authority that signed it with sslrootcert=FILE in the address.`,
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)/,
    ({ host }) => `The name ${host} of the database server is not known here; check it and the network.`,
  ],
  [
    /^(08|E[A-Z]+$)/,
    (_, place) => `PostgreSQL at ${place} cannot be reached; check that it runs, and the network to it.`,
  ],
];

/** Turns a known error into a sentence with its repair; returns any other error unchanged. */
export function explainPostgres(error: unknown, address: PostgresAddress): unknown {
  if (error instanceof Refusal) return error;
  const place = describeAddress(address);
  if (/does not support SSL/.test(message(error)))
    return new Unusable(
      `PostgreSQL at ${place} offers no TLS; switch it on at the server (ssl = on), or connect by a tunnel on this machine.`,
      { cause: error },
    );
  const repair = REPAIRS.find(([pattern]) => pattern.test(code(error)))?.[1];
  const Kind = isPassing(error) ? Unreachable : isNotPermitted(error) ? NotPermitted : Unusable;
  if (repair !== undefined) return new Kind(repair(address, place), { cause: error });
  if (!isConnectionLost(error)) return error;
  return new Unreachable(
    `The connection to PostgreSQL at ${place} broke or did not answer, and nothing was changed; try again.`,
    { cause: error },
  );
}
