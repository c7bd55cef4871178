// What comes out of a URI is checked before it names anything.
import { Refusal } from '../domain/refusal.ts';
import type { Variables } from './resource.ts';

export function taskIdOf({ id = '' }: Variables): number {
  if (!/^[1-9]\d{0,12}$/.test(id)) throw new Refusal('A task is named by its number, as in ralph://tasks/7.');
  return Number(id);
}

export function nameOf({ name = '' }: Variables): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name))
    throw new Refusal('That is not a name: letters, digits, spaces, dots, dashes, at most 100.');
  return name;
}

export function sessionIdOf({ id = '' }: Variables): string {
  if (!/^[\w-]{1,100}$/.test(id)) throw new Refusal('That is not the id of a session.');
  return id;
}
