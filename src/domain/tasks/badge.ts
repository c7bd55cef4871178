// How lists and headings name a feature or a discipline in short: by its icon and its acronym.

export type Named = { name: string; acronym: string | null; icon?: string | null };

/** The icons of `ralph init`. Files name icons as icon libraries do; Ralph draws them as one character. */
const SYMBOLS: Readonly<Record<string, string>> = {
  Server: '🔧',
  Terminal: '📟',
  Database: '💾',
  Container: '🐳',
  BookOpen: '📖',
  Monitor: '💻',
  Layers: '🧱',
  Package: '📦',
  ShieldCheck: '🔒',
  FlaskConical: '🧪',
};

/** An emoji of several code points is longer than it looks. */
const MAX_SYMBOL = 12;

/** Null for a name that Ralph cannot draw. */
export function iconSymbol(icon: string | null | undefined): string | null {
  if (icon == null || icon === '') return null;
  if (Object.hasOwn(SYMBOLS, icon)) return SYMBOLS[icon] ?? null;
  return /[\w\s]/.test(icon) || icon.length > MAX_SYMBOL ? null : icon;
}

/** `🔧 BE`; the name in place of a missing acronym. */
export const shortName = ({ name, acronym, icon }: Named): string =>
  [iconSymbol(icon), acronym ?? name].filter((part) => part !== null).join(' ');

/** `Backend (🔧 BE)`, for headings. */
export function longName({
  name,
  display_name,
  acronym,
  icon,
}: Named & { display_name: string | null }): string {
  const badge = [iconSymbol(icon), acronym].filter((part) => part != null).join(' ');
  return badge === '' ? (display_name ?? name) : `${display_name ?? name} (${badge})`;
}
