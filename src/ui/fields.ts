import { z } from 'zod';

/** In an address everything is text. */
export const idText = z
  .string()
  .regex(/^\d{1,15}$/, 'is no number such as 7')
  .transform(Number);

/** How many come first that are left out. */
export const from = idText.default(0);

export const id = z.number('is no number such as 7').int().positive();
export const ids = z.array(id).min(1, 'names no task');
export const words = z.string('is text');
