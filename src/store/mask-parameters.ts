// Masks every text that is bound to a statement. All text enters the database here, so no use case can forget it.
import { type Mask, maskJson } from '../domain/secrets/mask-secrets.ts';

/** Ralph starts a discipline's MCP servers from these rows; masked settings would make them fail silently. */
const VERBATIM = /\b(?:into|update) "?disciplines\b/i;

/** Ralph's own words, session ids and hashes: they are frequent, and never secrets. */
const OWN_WORD =
  /^(?:[a-z]+(?:[_.][a-z]+)*|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Masks conditions too: a search must match the masked text that is stored. */
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
