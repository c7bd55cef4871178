// Formats times, money, tokens and sizes, short enough for a column.

export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${(milliseconds / 1_000).toFixed(1)}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${twoDigits(seconds % 60)}s`;
  return `${Math.floor(seconds / 3_600)}h${twoDigits(Math.floor((seconds % 3_600) / 60))}m`;
}

/** Without tenths of a second, for values that change while a person reads them. */
export const elapsed = (milliseconds: number): string =>
  milliseconds < 59_500 ? `${Math.max(0, Math.floor(milliseconds / 1_000))}s` : duration(milliseconds);

/** The time since an event, without seconds after minutes and without hours after days. */
export const age = (milliseconds: number): string =>
  milliseconds < 2 * DAY_MS
    ? elapsed(milliseconds).replace(/m\d\ds$/, 'm')
    : `${Math.floor(milliseconds / DAY_MS)}d`;

const DAY_MS = 24 * 3_600_000;

export const stopwatch = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const minutes = `${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`;
  return seconds < 3_600 ? minutes : `${Math.floor(seconds / 3_600)}:${minutes}`;
};

export const money = (usd: number): string => `$${usd.toFixed(2)}`;

/** For a column. A cost of 0 means that the agent reported none. */
export const moneyIfKnown = (usd: number): string => (usd === 0 ? '-' : money(usd));

/** For a sentence. */
export const costText = (usd: number): string => (usd === 0 ? 'cost not reported' : money(usd));

/** 812, 8.1k, 812k, 8.1M. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)}${unit}`;
}

/** 812 B, 8.1 kB, 812 MB, 8.1 GB. */
export function diskSize(bytes: number): string {
  const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1_000, unit + 1];
  return `${unit === 0 || value >= 9.95 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Date and time in the local time zone. Scripts get milliseconds since 1970 instead. */
export const localTime = (milliseconds: number): string => {
  const date = new Date(milliseconds);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
  return `${day} ${wallTime(milliseconds)}`;
};

/** With the offset from UTC, for pages that people in other time zones read. */
export const zonedTime = (milliseconds: number): string => {
  const offset = -new Date(milliseconds).getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${localTime(milliseconds)} ${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`;
};

export const wallTime = (milliseconds: number): string => {
  const date = new Date(milliseconds);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
};

const twoDigits = (number: number): string => String(number).padStart(2, '0');
