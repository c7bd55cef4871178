// Masks secrets in everything that Ralph stores, commits, shows or sends.
import { fileSecrets } from './file-secrets.ts';
import { isSecretName, secretValues, type Variables } from './secret-names.ts';
import { MASKED, withoutSecrets } from './secret-text.ts';

export type Mask = (text: string) => string;

/**
 * Masks texts that look like a secret, and in every written form values of variables that are named like one, and of files. What
 * Ralph reads from files later is masked from then on.
 */
export function maskSecrets(env: Variables): Mask {
  let known = -1;
  let forms: readonly string[] = [];
  return (text) => {
    if (text.length < SHORTEST) return text;
    if (fileSecrets(env).size !== known) {
      known = fileSecrets(env).size;
      forms = secretValues(env).flatMap(secretForms);
    }
    let masked = text;
    // One after another: a search for plain text is faster than any expression, even in a line of megabytes.
    for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASKED);
    return withoutSecrets(masked);
  };
}

/** No secret is shorter, including the word that identifies it. */
const SHORTEST = 8;

/** Masks every text in a value. A key counts like a name in "password=...". A value without secrets is returned itself. */
export function maskValue<Value>(value: Value, mask: Mask): Value;
export function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => maskValue(item, mask));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isPlain(value)) return value;
  const entries = Object.entries(value);
  const masked = entries.map(
    ([key, item]) => [mask(key), maskNamed(key, maskValue(item, mask), mask)] as const,
  );
  const isSame = masked.every(
    ([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1],
  );
  return isSame ? value : Object.fromEntries(masked);
}

/** False for a date or a buffer, which stay unchanged. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function maskNamed(key: string, item: unknown, mask: Mask): unknown {
  if (typeof item !== 'string' || !isSecretName(key)) return item;
  const assigned = `${key}=`;
  const masked = mask(`${assigned}${item}`);
  return masked.startsWith(assigned) ? masked.slice(assigned.length) : MASKED;
}

/** Masks the strings of a JSON text one by one, so that it stays JSON. A text without secrets stays unchanged. */
export function maskJson(text: string, mask: Mask): string {
  if (text.length < SHORTEST) return text;
  if (!/^\s*[[{]/.test(text)) return mask(text);
  try {
    const value: unknown = JSON.parse(text);
    const masked = maskValue(value, mask);
    return masked === value ? text : JSON.stringify(masked);
  } catch {
    return mask(text);
  }
}

// The written forms of a secret: plain, escaped, percent-encoded, or as Base64 inside a longer text.

const SHORTEST_CORE = 9;

export function secretForms(value: string): string[] {
  const encoded = encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'));
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    ...base64Forms(value),
  ];
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const whole = base64(bytes);
  const cores = [0, 1, 2]
    .map((offset) => coreAt(bytes, offset))
    .filter((core) => core.length >= SHORTEST_CORE);
  return [whole, whole.replace(/=+$/, ''), ...cores].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
}

/** The Base64 characters that depend only on the value, if `offset` other bytes precede it. */
function coreAt(bytes: Uint8Array, offset: number): string {
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((padded.length * 8) / 6);
  return base64(padded).slice(first, last);
}

const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
