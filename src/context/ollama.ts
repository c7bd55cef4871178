// Embeddings from an Ollama server, where one answers. Whatever goes wrong there, the answer is "none", and nobody asks again for a while.

export type Embedder = {
  readonly model: string;
  /** One vector a text, or null: then words alone must do. */
  embed(texts: readonly string[]): Promise<Float32Array[] | null>;
  /** Why the last answer was "none"; null while all is well, or nobody has asked. */
  problem(): string | null;
};

export type OllamaInput = { url: string; model: string; timeoutMs?: number };

/** Long enough to load a small model, short enough to wait for before a session begins. */
const TIMEOUT_MS = 5_000;
const MAX_TEXTS_PER_REQUEST = 64;
/** 64 vectors of 8,192 numbers take less. */
const MAX_BYTES = 16 * 1024 * 1024;
/** After a failure nobody is asked for this long: a server that is down must not slow every session. */
const REST_MS = 60_000;

export function ollama(
  { url, model, timeoutMs = TIMEOUT_MS }: OllamaInput,
  fetchFrom: typeof fetch = fetch,
  now: () => number = Date.now,
): Embedder {
  let restUntil = 0;
  let problem: string | null = null;
  const ask = async (input: readonly string[]): Promise<Float32Array[]> => {
    const response = await fetchFrom(new URL('api/embed', url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // Kept loaded for as long as a session may take: loading it anew would take longer than anybody waits.
      body: JSON.stringify({ model, input, truncate: true, keep_alive: '60m' }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(await readError(response));
    return parseVectors(JSON.parse(await readBounded(response)), input.length);
  };
  return {
    model,
    embed: async (texts) => {
      if (now() < restUntil) return null;
      try {
        const vectors: Float32Array[] = [];
        for (let start = 0; start < texts.length; start += MAX_TEXTS_PER_REQUEST)
          vectors.push(...(await ask(texts.slice(start, start + MAX_TEXTS_PER_REQUEST))));
        problem = null;
        return vectors;
      } catch (error) {
        problem = failureReason(error, timeoutMs);
        restUntil = now() + REST_MS;
        return null;
      }
    },
    problem: () => problem,
  };
}

const servers = new Map<string, Embedder>();

/** One for each server and model in the life of the process, so that its rest holds for everybody. */
export function sharedEmbedder(input: OllamaInput): Embedder {
  const key = `${input.url} ${input.model}`;
  const embedder = servers.get(key) ?? ollama(input);
  servers.set(key, embedder);
  return embedder;
}

/** Bounded: whatever listens there may answer without end, and faster than the time runs out. */
async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('its answer has no end');
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('');
}

/** Ollama answers with `{"error": "..."}`. */
async function readError(response: Response): Promise<string> {
  const answer: unknown = await readBounded(response)
    .then(JSON.parse)
    .catch(() => null);
  const error =
    typeof answer === 'object' && answer !== null && 'error' in answer ? String(answer.error) : '';
  return `it answered ${response.status}${error === '' ? '' : ` (${error.slice(0, 200)})`}`;
}

function parseVectors(answer: unknown, count: number): Float32Array[] {
  const rows =
    typeof answer === 'object' && answer !== null && 'embeddings' in answer ? answer.embeddings : null;
  if (!Array.isArray(rows) || rows.length !== count)
    throw new Error('it did not answer with one vector a text');
  const length = Array.isArray(rows[0]) ? rows[0].length : 0;
  return rows.map((row: unknown) => {
    const isVector =
      Array.isArray(row) &&
      row.length === length &&
      length > 0 &&
      // 1e39 is a number, but none of 32 bits.
      row.every((value) => Number.isFinite(value) && Number.isFinite(Math.fround(value)));
    if (!isVector) throw new Error('its vectors are not lists of as many numbers each');
    return Float32Array.from(row);
  });
}

function failureReason(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} s`;
  // The reason of a connection that failed is hidden one level below "fetch failed".
  const cause = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : null;
  return cause === 'ECONNREFUSED' ? 'nothing answers there' : (cause ?? error.message);
}
