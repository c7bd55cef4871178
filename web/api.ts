import { takeToken } from './token.ts';

const token = takeToken();

export const hasToken = token !== null;

/** What the server said no to, in its own sentence. Status 0: it did not answer at all. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

export const read = async <T>(path: string): Promise<T> => (await ask(path)).json();

export const readText = async (path: string): Promise<string> => (await ask(path)).text();

export type Done = { message: string } & Record<string, unknown>;

export async function act(name: string, input: object): Promise<Done> {
  const body = JSON.stringify(input);
  const headers = { 'content-type': 'application/json' };
  return (await ask(`/api/do/${name}`, { method: 'POST', headers, body })).json();
}

/** Throws a `Refused` for every answer that is not the one that was asked for. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${token ?? ''}` };
  const response = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store' }).catch(
    (error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new Refused(0, 'The server does not answer. Start it again: ralph ui');
    },
  );
  if (response.ok) return response;
  const said: { error?: string } = await response.json().catch(() => ({}));
  throw new Refused(response.status, said.error ?? `The server answered with ${response.status}.`);
}
