// A piece of knowledge that a session left: what may be kept of it, and how it is told.
import { Refusal } from '../refusal.ts';
import { secretIn } from '../secrets/secret-text.ts';
import type { LEARNING_KINDS, LEARNING_SCOPES } from '../sessions/signal.ts';
import { singleLine, textProblem, toStorable, visible } from '../text/text.ts';

export type Learning = {
  id: number;
  feature: string | null;
  scope: (typeof LEARNING_SCOPES)[number];
  category: (typeof LEARNING_KINDS)[number];
  body: string;
  /** One sentence, where the body is long. */
  summary: string | null;
  reason: string | null;
  discipline: string | null;
  task_id: number | null;
  session_id: string | null;
  created: number;
  /** How often it was said again. */
  confirmations: number;
  /** The older learning that this one is at odds with. */
  conflicts_with: number | null;
  /** Since when it is in no prompt any more, and who put it away. */
  archived: number | null;
  archived_by: Archivist | null;
  /** Sessions that were given it, and those of them whose first attempt passed the gates. */
  given: number;
  passed: number;
};

/** `bound`: the feature had too many; `person`: somebody decided so, and only a person takes it back. */
export const ARCHIVISTS = ['bound', 'person'] as const;
export type Archivist = (typeof ARCHIVISTS)[number];

/** One fact, not a report. */
export const MAX_LEARNING = 2_000;

/** Active learnings of one feature, or of the whole project: what is beyond goes to the archive. */
export const MAX_ACTIVE = 200;

/** Longer ones are told by their summary. */
const MAX_UNSUMMARIZED = 400;
const MAX_SUMMARY = 200;

/** Refuses what must not be kept, in words that say how to say it better. */
export function requireLearnable(text: string, reason: string | null): void {
  const problem = learnableProblem(text, reason);
  if (problem !== null) throw new Refusal(problem);
}

/** Why it must not be kept, or null. */
export function learnableProblem(text: string, reason: string | null): string | null {
  for (const [name, said] of [
    ['learning', text],
    ['reason', reason ?? ''],
  ] as const) {
    if (said.length > MAX_LEARNING)
      return `The ${name} is ${said.length} characters long; say the one fact in at most ${MAX_LEARNING}.`;
    const problem = textProblem(said);
    if (problem !== null) return `The ${name} ${problem}.`;
    const secret = secretIn(said);
    if (secret !== null)
      return `The ${name} holds what looks like ${secret}, so it was not kept; say where the secret is found, not what it is.`;
  }
  return visible(text).trim() === '' ? 'The learning is empty; say the one fact.' : null;
}

/** The first sentence of a long text, cut at a word. Null where the text is short enough itself. */
export function summarize(body: string): string | null {
  if (body.length <= MAX_UNSUMMARIZED) return null;
  const flat = body.replace(/\s+/g, ' ').trim();
  const sentence = /^.*?[.!?](?= |$)/.exec(flat)?.[0] ?? flat;
  if (sentence.length <= MAX_SUMMARY) return sentence;
  return `${toStorable(sentence, MAX_SUMMARY).replace(/ \S*$/, '')} …`;
}

/** Why it cannot stand for the learning in a prompt, or null. */
export const summaryProblem = (summary: string | null): string | null =>
  summary === null || summary.length <= MAX_UNSUMMARIZED
    ? null
    : `The summary is ${summary.length} characters long; say it in one sentence of at most ${MAX_UNSUMMARIZED}.`;

const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.!?]{0,40}\b(?:previous|prior|above|earlier|all|any|other|these|those|your|instructions?|rules?|prompts?)\b/i,
  /\byou (?:must|should|have to|will|are to) (?:now|immediately|instead|always answer|only answer)\b/i,
  /\b(?:you are now|from now on,? you|act as|pretend to be)\b/i,
  /\b(?:system prompt|new instructions?|developer message)\b/i,
  /<\/?(?:system|assistant|user|instructions?|system-reminder)\b/i,
  /\bdo not (?:tell|inform|mention|report)\b/i,
];

/** Whether a text speaks to its reader as if it had orders to give: it is then shown as a quotation. */
export function givesOrders(text: string): boolean {
  // As the reader sees it: on one line, in plain letters, without what was put in between to hide it.
  const read = singleLine(text.normalize('NFKC').replace(/<U\+[0-9A-F]{4,6}>/g, ''));
  return ORDERS.some((pattern) => pattern.test(read));
}
