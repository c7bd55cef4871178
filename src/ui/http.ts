// How the dashboard's server reads requests and sends answers, refusals and errors.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { Refusal } from '../domain/refusal.ts';
import type { Denial } from '../host/http/http-guard.ts';
import { explainIssue } from '../project/definitions/explain-issue.ts';
import type { UiBackend } from './backend.ts';

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  // Before the head is sent: if this throws, the server can still answer with an error.
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
}

export function deny(response: ServerResponse, { status, message }: Denial): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  refuse(response, status, message);
}

/** A refused client may still be sending. It gets this long to finish, so that it can read the answer. */
const LINGER_MS = 500;

export function refuse(response: ServerResponse, status: number, sentence: string): void {
  const { req: request } = response;
  sendJson(response, status, { error: sentence });
  if (request.readableEnded) return;
  const late = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(late)).resume();
}

export function sendError(response: ServerResponse, error: unknown, report: UiBackend['report']): void {
  const isExpected = error instanceof Refusal;
  if (!isExpected) report(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = error instanceof HttpError ? error.status : isExpected ? 409 : 500;
  const sentence = isExpected ? error.message : 'Unexpected error; the terminal of ralph ui says more.';
  refuse(response, status, sentence);
}

/** A refusal with its own HTTP status. */
export class HttpError extends Refusal {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The input as the schema parses it. Throws a sentence about what is wrong with it. */
export function checkInput(schema: z.ZodType, input: unknown): unknown {
  const { success, data, error } = schema.safeParse(input, { reportInput: true });
  if (success) return data;
  const [issue] = error.issues;
  throw new HttpError(
    400,
    `Nothing was changed: ${issue === undefined ? 'the request is not understood.' : explainIssue(issue, schema, 'the request').message}`,
  );
}

/** Several times the longest text that a task may have. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Takes only the content type of JSON: a form on another site cannot send that without a CORS preflight. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new HttpError(415, 'Actions are sent as application/json; nothing was changed.');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  // The connection must outlive an early return, so that the client gets its answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw bodyTooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new HttpError(400, 'The request is not valid JSON; nothing was changed.');
  }
}

const bodyTooLarge = (): HttpError =>
  new HttpError(413, 'The request is larger than 2 MB; nothing was changed.');
