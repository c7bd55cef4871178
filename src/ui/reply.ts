// Answers, and the sentences of those that say no.
import type { ServerResponse } from 'node:http';
import { Refusal } from '../domain/refusal.ts';
import type { Denial } from '../host/http/http-guard.ts';
import type { UiOffice } from './backend.ts';
import { Unserved } from './unserved.ts';

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  // Before the head: what cannot be written as JSON is a fault that can still be told.
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body);
}

export function deny(response: ServerResponse, { status, message }: Denial): void {
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  refuse(response, status, message);
}

/** What is still being sent is let in for a moment, so that whoever sends it gets to read the answer; no longer. */
const LINGER_MS = 500;

export function refuse(response: ServerResponse, status: number, sentence: string): void {
  const { req: request } = response;
  sendJson(response, status, { error: sentence });
  if (request.readableEnded) return;
  const late = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(late)).resume();
}

export function explain(response: ServerResponse, error: unknown, report: UiOffice['report']): void {
  const isExpected = error instanceof Refusal;
  if (!isExpected) report(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = error instanceof Unserved ? error.status : isExpected ? 409 : 500;
  const sentence = isExpected
    ? error.message
    : 'Something that should not happen; the terminal of ralph ui says more.';
  refuse(response, status, sentence);
}
