import * as z from 'zod';
import { PUBLIC_GITHUB } from '../../../domain/trust.ts';

/** A token goes there, so nobody on the way may read it. */
const PRIVATE = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$))/i;

export const github = z.strictObject({
  api: z
    .url()
    .regex(PRIVATE, 'does not begin with https://')
    .default(PUBLIC_GITHUB)
    .describe(
      'where `ralph import github:OWNER/REPO` asks; that of GitHub Enterprise Server is `https://HOST/api/v3`',
    ),
  repository: z
    .string()
    .regex(/^(?!\.+\/)[\w.-]+\/(?!\.+$)[\w.-]+$/, 'is not OWNER/REPO')
    .nullable()
    .default(null)
    .describe('OWNER/REPO for pull requests; without it, what the address of the git remote names'),
  sync: z
    .boolean()
    .default(false)
    .describe(
      'whether Ralph comments on the issue that a task came from if the task needs a person, failed or landed, and closes the issue of a landed one',
    ),
});
