import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import type { Queue } from '../queue.ts';

/** For whoever typed a secret: what is stored is not what they typed. Empty where nothing was masked. */
export const maskedNote = ({ mask }: Pick<Queue, 'mask'>, given: unknown): string =>
  JSON.stringify(maskValue(given, mask)) === JSON.stringify(given)
    ? ''
    : ' What looked like a secret was masked; agents find secrets in files or in the environment.';
