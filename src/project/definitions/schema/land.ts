import * as z from 'zod';
import { text, texts } from './fields.ts';

export const land = z
  .strictObject({
    target: z
      .enum(['branch', 'pull_request'])
      .default('branch')
      .describe(
        '`pull_request`: each finished task becomes a pull request on GitHub, and is done once that is merged',
      ),
    branch: text
      .min(1)
      .nullable()
      .default(null)
      .describe('the branch that finished work lands on; without it, the one that is checked out'),
    remote: text
      .regex(/^[\w][\w.-]*$/, 'give the name of a git remote, such as origin')
      .nullable()
      .default(null)
      .describe(
        'the git remote on which several machines meet, such as `origin`; without it, Ralph neither pushes nor fetches, except for pull requests, which use `origin`',
      ),
    refs: text
      .regex(/^refs\/(?:[\w-]+\/)+$/, 'give a place such as refs/ralph/ or refs/heads/ralph/')
      .default('refs/ralph/')
      .describe(
        'where unfinished work waits on the remote; `refs/heads/ralph/` for hosts that take nothing but branches',
      ),
    update_checkout: z
      .boolean()
      .default(true)
      .describe('whether your checkout follows landed work where it has no changes of yours in the way'),
    speculate: z
      .boolean()
      .default(false)
      .describe('whether gates run on work that still waits for other work to land before it'),
    regenerate: z
      .array(
        z.strictObject({
          files: texts
            .min(1)
            .describe(
              'files that a command makes, such as a lock file; patterns count from the folder of the project',
            ),
          command: text.min(1).describe('the shell line that makes them anew'),
        }),
      )
      .default([])
      .describe('files that are made anew where both sides changed them, instead of being a conflict'),
  })
  .refine(({ remote, branch }) => remote === null || branch !== null, {
    path: ['remote'],
    message: 'needs branch as well, so that every machine lands on the same branch',
  })
  .refine(({ target, branch }) => target === 'branch' || branch !== null, {
    path: ['target'],
    message: 'needs branch as well: the branch that pull requests are for',
  });
