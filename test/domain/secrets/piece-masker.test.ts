import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskSecrets } from '../../../src/domain/secrets/mask-secrets.ts';
import { overlapFor, PieceMasker } from '../../../src/domain/secrets/piece-masker.ts';

/** Few different characters, so that beginnings of the secret are everywhere. */
const SECRET = 'abababac';
const mask = maskSecrets({ API_KEY: SECRET });
const piece = fc.oneof(
  fc.constant(SECRET),
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 20 }),
);

it('a text that is masked in pieces is the text that is masked as a whole', () => {
  fc.assert(
    fc.property(
      fc.array(piece),
      fc.array(fc.nat(30), { minLength: 1 }),
      fc.nat(20),
      (parts, cuts, window) => {
        const text = parts.join('');
        const masker = new PieceMasker(mask, SECRET.length, window);
        let masked = '';
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const length = 1 + (cuts[turn % cuts.length] ?? 0);
          masked += masker.push(text.slice(at, at + length));
          at += length;
        }
        expect(masked + masker.end()).toBe(mask(text));
      },
    ),
  );
});

it('the overlap is longer than the longest value of the environment and its base64 form', () => {
  expect(overlapFor({ PATH: '/bin', KEY: 'k'.repeat(100_000), NONE: undefined })).toBe(200_000);
  expect(overlapFor({})).toBeGreaterThan(10_000);
});

it('a private key that arrives line by line is masked as a whole', () => {
  const key = [
    '-----BEGIN PRIVATE',
    ' KEY-----\n',
    `${'MIIEvQIBADANBgkq'.repeat(4)}\n`.repeat(4),
    '-----END PRIVATE',
    ' KEY-----\n',
  ].join('');
  const masker = new PieceMasker(mask, overlapFor({}));
  const masked = [...key.matchAll(/.*\n/g)].map(([line]) => masker.push(line)).join('') + masker.end();
  expect(masked).not.toContain('MIIE');
  expect(masked).toBe(mask(key));
});
