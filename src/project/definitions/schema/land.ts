import * as z from 'zod';
import { PUBLIC_GITHUB } from '../../../domain/trust.ts';
import { text, texts } from './fields.ts';

export const land = z
  .strictObject({
    target: z
      .enum(['branch', 'pull_request'])
      .default('branch')
      .describe(
        '`pull_request`: finished work becomes pull requests on GitHub, and a task is done once its own is merged',
      ),
    per: z
      .enum(['task', 'feature'])
      .default('task')
      .describe('whether each task gets a pull request of its own, or the tasks of a feature share one'),
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
          command: text.min(1).describe('the shell line that regenerates them'),
        }),
      )
      .default([])
      .describe('files that a command regenerates after a conflict in them'),
  })
  .refine(({ remote, branch }) => remote === null || branch !== null, {
    path: ['remote'],
    message: 'needs branch as well, so that every machine lands on the same branch',
  })
  .refine(({ target, branch }) => target === 'branch' || branch !== null, {
    path: ['target'],
    message: 'needs branch as well: the branch that pull requests are for',
  })
  .refine(({ target, per }) => target === 'pull_request' || per === 'task', {
    path: ['per'],
    message: 'is about pull requests; set target: pull_request as well',
  });

/** A token goes there, so the connection must be encrypted. */
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
      'whether Ralph comments on the issue of a task that needs a person, failed or landed; it closes the issue of a landed task',
    ),
});
