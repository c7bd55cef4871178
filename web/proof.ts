const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The same as `proofOf` of the server's guard. */
export async function proofOf(token: string, host: string, nonce: string): Promise<string> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(token), hash, false, ['sign']);
  const proof = await crypto.subtle.sign('HMAC', key, bytes(`${host} ${nonce}`));
  return [...new Uint8Array(proof)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
