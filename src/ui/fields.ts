import { z } from 'zod';
import { LEARNING_KINDS } from '../domain/sessions/signal.ts';

/** An id in an address, where everything is text. */
export const idText = z
  .string()
  .regex(/^\d{1,15}$/, 'is no number such as 7')
  .transform(Number);

/** How many rows to leave out at the start. */
export const from = idText.default(0);

export const id = z.number('is no number such as 7').int().positive();
export const ids = z.array(id).min(1, 'names no task');
export const text = z.string('is text');

/** In an address: present, or absent. */
export const flag = z
  .literal('1')
  .optional()
  .transform((text) => text !== undefined);

export const learningKind = z.enum(LEARNING_KINDS);
