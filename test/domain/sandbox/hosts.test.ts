import { expect, it } from 'vitest';
import {
  isAllowed,
  isHostPattern,
  loopbackPorts,
  parseAddress,
  refusedText,
} from '../../../src/domain/sandbox/hosts.ts';

const allows = (pattern: string, address: string): boolean => {
  const parsed = parseAddress(address);
  return parsed !== null && isAllowed([pattern], parsed);
};

it.each([
  ['example.com', 'example.com:443', true],
  ['example.com', 'EXAMPLE.com.:80', true],
  ['example.com', 'example.com:22', false],
  ['example.com:22', 'example.com:22', true],
  ['example.com', 'evil-example.com:443', false],
  ['example.com', 'example.com.evil.org:443', false],
  ['*.example.com', 'a.b.example.com:443', true],
  ['*.example.com', 'example.com:443', false],
  ['*', 'anything.org:443', true],
  // This machine only by name and port: its services trust who reaches them.
  ['*', '127.0.0.1:443', false],
  ['localhost', 'localhost:443', false],
  ['localhost:5432', '127.0.0.1:5432', true],
  ['localhost:5432', '127.0.0.1:22', false],
  ['127.0.0.1:5432', '[::1]:5432', true],
])('the pattern %s lets %s through: %s', (pattern, address, expected) => {
  expect(isHostPattern(pattern)).toBe(true);
  expect(allows(pattern, address)).toBe(expected);
});

it('what is no host is refused as a pattern', () => {
  for (const text of [
    '',
    'https://example.com',
    'example.com/path',
    'a b',
    'example.com:port',
    '*example.com',
  ])
    expect(isHostPattern(text)).toBe(false);
});

it('only ports of this machine are forwarded', () => {
  expect(loopbackPorts(['localhost:1', '127.0.0.1:2', 'example.com:3', 'localhost'])).toEqual([1, 2]);
});

it('refused connections are counted, and each host is named once', () => {
  expect(refusedText(new Map())).toBeNull();
  expect(refusedText(new Map([['example.com:443', 3]]))).toBe(
    'The sandbox refused 3 connections to example.com; allow it with sandbox.network in .ralph/config.yaml.',
  );
});
