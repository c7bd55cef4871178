// The seam through which every text enters the database: what is bound to a statement is masked, so that no use case can forget it.
import { type Mask, maskJson } from '../domain/secrets/mask-secrets.ts';

/** The servers of a discipline are started with what is stored here; masked, they would fail without a word. */
const VERBATIM = /\b(?:into|update) "?disciplines\b/i;

/** Ralph's own words, numbers of sessions and hashes: many are bound, and none is a secret. */
const OWN_WORD =
  /^(?:[a-z]+(?:[_.][a-z]+)*|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Also in a condition: whoever looks for a text finds it as it is stored. */
export const maskParameters = (
  sql: string,
  parameters: readonly unknown[],
  mask: Mask,
): readonly unknown[] =>
  VERBATIM.test(sql)
    ? parameters
    : parameters.map((value) =>
        typeof value === 'string' && !OWN_WORD.test(value) ? maskJson(value, mask) : value,
      );
