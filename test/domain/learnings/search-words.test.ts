import { expect, it } from 'vitest';
import { namedParts, nameParts, searchWords } from '../../../src/domain/learnings/search-words.ts';

it('names in code are split into parts', () => {
  expect(nameParts('getUserById')).toEqual(['get', 'User', 'By', 'Id']);
  expect(nameParts('HTTPServer')).toEqual(['HTTP', 'Server']);
  expect(nameParts('sha256')).toEqual(['sha', '256']);
  expect(nameParts('token')).toEqual([]);
  expect(namedParts('getUserById calls auth_middleware')).toBe('get User By Id');
});

it('a search uses each significant word once, and the parts of names', () => {
  expect(searchWords('How do I look up the user in getUserById? The USER!', 10)).toEqual([
    'look',
    'user',
    'getuserbyid',
    'id',
  ]);
  expect(searchWords('src/lib/auth.ts', 10)).toEqual(['src', 'lib', 'auth', 'ts']);
  expect(searchWords('one two three', 2)).toEqual(['two', 'three']);
  expect(searchWords('"); drop table', 9)).toEqual(['drop', 'table']);
});
