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
