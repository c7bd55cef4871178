// Values as TOML, for the configuration of Codex. JSON strings are TOML strings.

export type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };

/** One line for each key. */
export const toToml = (settings: Readonly<Record<string, TomlValue>>): string =>
  Object.entries(settings)
    .map(([key, value]) => `${JSON.stringify(key)} = ${valueText(value)}\n`)
    .join('');

function valueText(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)} = ${valueText(inner)}`);
  return `{ ${pairs.join(', ')} }`;
}
