// Embeddings from an Ollama server. After any failure the embedder answers null, and does not ask the server again for a while.

export type Embedder = {
  readonly model: string;
  /** One vector a text, or null: the caller then ranks by words alone. */
  embed(texts: readonly string[]): Promise<Float32Array[] | null>;
  /** Why the last answer was null; null if it was not, or if there was no request yet. */
  problem(): string | null;
};

type OllamaInput = { url: string; model: string; timeoutMs?: number };

/** Long enough to load a small model, short enough to wait before a session. */
const TIMEOUT_MS = 5_000;
const MAX_TEXTS_PER_REQUEST = 64;
/** 64 vectors of 8,192 numbers take less. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Ralph sends no request for this long after a failure: a server that is down must not slow every session. */
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
      // The model stays loaded as long as a session may take: loading it again may exceed the timeout.
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

/** One embedder per server and model in this process, so that all callers share its pause after a failure. */
export function sharedEmbedder(input: OllamaInput): Embedder {
  const key = `${input.url} ${input.model}`;
  const embedder = servers.get(key) ?? ollama(input);
  servers.set(key, embedder);
  return embedder;
}

/** Bounded: an unknown server may send data without end, within the timeout. */
async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('its answer is too long');
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
    throw new Error('it did not answer with one vector for each text');
  const length = Array.isArray(rows[0]) ? rows[0].length : 0;
  return rows.map((row: unknown) => {
    const isVector =
      Array.isArray(row) &&
      row.length === length &&
      length > 0 &&
      // 1e39 is finite, but not as a 32-bit float.
      row.every((value) => Number.isFinite(value) && Number.isFinite(Math.fround(value)));
    if (!isVector) throw new Error('its vectors are not lists of numbers of the same length');
    return Float32Array.from(row);
  });
}

function failureReason(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} s`;
  // fetch reports "fetch failed" and hides the reason in the cause.
  const cause = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : null;
  return cause === 'ECONNREFUSED' ? 'no program answers' : (cause ?? error.message);
}
