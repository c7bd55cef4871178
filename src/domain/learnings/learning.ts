// A piece of knowledge that a session recorded: what Ralph may store, and how a prompt shows it.
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
  /** One sentence, if the body is long. */
  summary: string | null;
  reason: string | null;
  discipline: string | null;
  task_id: number | null;
  session_id: string | null;
  created: number;
  /** How often a session repeated it. */
  confirmations: number;
  /** The older learning that this one contradicts. */
  conflicts_with: number | null;
  /** The time since which no prompt contains it. */
  archived: number | null;
  archived_by: Archivist | null;
  /** Sessions whose prompt contained it, and those of them that passed the gates at the first attempt. */
  given: number;
  passed: number;
  /** When a gate or a person vouched for it. Null: only retries of its own task get it. */
  proven: number | null;
  /** Whose words these are. */
  author: 'agent' | 'person';
};

/** `bound`: the feature had too many. `person`: a person archived it, and only a person can restore it. */
export const ARCHIVISTS = ['bound', 'person'] as const;
export type Archivist = (typeof ARCHIVISTS)[number];

/** One fact, not a report. */
export const MAX_LEARNING = 2_000;

/** Whether it waits for a gate or a person. What holds for one task reaches no other anyway. */
export const isHeldBack = ({
  proven,
  scope,
  archived,
}: Pick<Learning, 'proven' | 'scope' | 'archived'>): boolean =>
  proven === null && scope !== 'task' && archived === null;

/** The limit of active learnings per feature and for the whole project. Ralph archives the rest. */
export const MAX_ACTIVE = 200;

/** A prompt shows only the summary of a longer learning. */
const MAX_UNSUMMARIZED = 400;
const MAX_SUMMARY = 200;

/** Refuses a learning that Ralph must not store; the message says how to phrase it. */
export function requireLearnable(text: string, reason: string | null): void {
  const problem = learnableProblem(text, reason);
  if (problem !== null) throw new Refusal(problem);
}

/** Why Ralph must not store it, or null. */
export function learnableProblem(text: string, reason: string | null): string | null {
  for (const [name, value] of [
    ['learning', text],
    ['reason', reason ?? ''],
  ] as const) {
    if (value.length > MAX_LEARNING)
      return `The ${name} is ${value.length} characters long; say the one fact in at most ${MAX_LEARNING}.`;
    const problem = textProblem(value);
    if (problem !== null) return `The ${name} ${problem}.`;
    const secret = secretIn(value);
    if (secret !== null)
      return `The ${name} holds what looks like ${secret}, so it was not kept; say where the secret is found, not what it is.`;
  }
  return visible(text).trim() === '' ? 'The learning is empty; say the one fact.' : null;
}

/** The first sentence of a long text, cut at a word. Null if the text is short enough itself. */
export function summarize(body: string): string | null {
  if (body.length <= MAX_UNSUMMARIZED) return null;
  const flat = body.replace(/\s+/g, ' ').trim();
  const sentence = /^.*?[.!?](?= |$)/.exec(flat)?.[0] ?? flat;
  if (sentence.length <= MAX_SUMMARY) return sentence;
  return `${toStorable(sentence, MAX_SUMMARY).replace(/ \S*$/, '')} …`;
}

/** Why the summary cannot replace the learning in a prompt, or null. */
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

/** True if a text gives orders to its reader. A prompt shows such a text as a quotation. */
export function givesOrders(text: string): boolean {
  // Normalise first: an attacker may hide words behind other letters, line breaks or invisible characters.
  const read = singleLine(text.normalize('NFKC').replace(/<U\+[0-9A-F]{4,6}>/g, ''));
  return ORDERS.some((pattern) => pattern.test(read));
}
