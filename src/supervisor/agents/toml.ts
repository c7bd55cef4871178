// Values as TOML, for the configuration of Codex. JSON strings are TOML strings, but for two kinds of characters.

export type TomlValue =
  | string
  | number
  | boolean
  | null
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };

type Table = Readonly<Record<string, TomlValue>>;

/** One line for each key. */
export const toToml = (settings: Table): string =>
  pairs(settings)
    .map((pair) => `${pair}\n`)
    .join('');

/** TOML has no null: such a key is as good as absent. */
const pairs = (table: Table): string[] =>
  Object.entries(table)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${quoted(key)} = ${valueText(value)}`);

function valueText(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value))
    return `[${value
      .filter((item) => item !== null)
      .map(valueText)
      .join(', ')}]`;
  return isTable(value) ? `{ ${pairs(value).join(', ')} }` : JSON.stringify(value);
}

const isTable = (value: TomlValue): value is Table => typeof value === 'object' && value !== null;

/** TOML allows neither a raw DEL nor half of a character. */
const quoted = (text: string): string =>
  JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('\u007f', '\\u007f');
