// What needs a person while a run is at work, and when they are told.

export const NEED_KINDS = ['question', 'failed', 'approval', 'limit', 'finished'] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

export type Need = {
  /** The event that shows the need; there is one need for it at most. */
  event_id: number;
  kind: NeedKind;
  /** One line. */
  text: string;
  /** What the person types next. */
  command: string;
};

/** Needs that arise within this time are told together. */
export const GROUP_MS = 10_000;

const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;
/** More than a day of tries. */
export const MAX_ATTEMPTS = 30;

/** How long to wait before the next try. Until then the need belongs to the process that tries. */
export const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1), MAX_PAUSE_MS);

/** From one time of day to another, in minutes after midnight. It may span midnight. */
export type QuietHours = { from: number; to: number };

export function parseQuietHours(text: string): QuietHours | null {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.replaceAll(' ', ''));
  if (found === null) return null;
  const [from = 0, fromMinutes = 0, to = 0, toMinutes = 0] = found.slice(1).map(Number);
  const hours = { from: from * 60 + fromMinutes, to: to * 60 + toMinutes };
  return hours.from === hours.to ? null : hours;
}

/** `minutes`: the time of day, in minutes after midnight. */
export const isQuiet = (minutes: number, { from, to }: QuietHours): boolean =>
  from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
