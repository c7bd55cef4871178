import { createHash } from 'node:crypto';
import type { Learning } from '../domain/learnings/learning.ts';
import { hasSearched, saveVectors, searchedTexts, vectorStamps } from '../store/learnings/embeddings.ts';
import type { Store } from '../store/open.ts';
import type { Embedder } from './ollama.ts';
import type { QueryVector, RetrievalQuery } from './retrieve.ts';

/** More at once would delay the session; the next session embeds the rest. */
const MAX_LEARNINGS = 64;

/**
 * Embeds the query, and learnings without a current vector. Learnings are read only after the embedder has answered: most
 * machines run no embedding server.
 */
export async function embedMissing(
  store: Store,
  embedder: Embedder,
  { text, feature, foundations }: Pick<RetrievalQuery, 'text' | 'feature' | 'foundations'>,
  now: () => number = Date.now,
): Promise<QueryVector | null> {
  const { model } = embedder;
  const features = feature === null ? [] : [feature, ...foundations];
  if (!(await store.read((db) => hasSearched(db, features)))) return null;
  const [values] = (await embedder.embed([text])) ?? [];
  if (values === undefined) return null;
  const { texts, stamps } = await store.read(async (db) => ({
    texts: await searchedTexts(db, features),
    stamps: await vectorStamps(db, model, features),
  }));
  const hashes = new Map(stamps.map(({ id, hash }) => [id, hash]));
  const missing = texts
    .map((learning) => ({ id: learning.id, ...embeddingInput(learning) }))
    .filter(({ id, hash }) => hashes.get(id) !== hash)
    .slice(0, MAX_LEARNINGS);
  const vectors = missing.length === 0 ? [] : await embedder.embed(missing.map((one) => one.text));
  const stale = stamps.filter(({ dimensions }) => dimensions !== values.length).map(({ id }) => id);
  const created = missing.flatMap(({ id, hash }, index) => {
    const vector = vectors?.[index];
    return vector === undefined ? [] : [{ id, hash, vector }];
  });
  if (created.length > 0 || stale.length > 0)
    await store.write((db) => saveVectors(db, model, created, stale, now()));
  return { model, values };
}

function embeddingInput({ category, body, reason }: Pick<Learning, 'category' | 'body' | 'reason'>): {
  text: string;
  hash: string;
} {
  const text = `${category}: ${body}${reason === null ? '' : ` (why: ${reason})`}`;
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}
