import * as z from 'zod';
import { SANDBOX_LEVELS } from '../../../domain/config.ts';
import { isHostPattern } from '../../../domain/sandbox/hosts.ts';
import { text, texts } from './fields.ts';

const path = text.refine(
  (value) => /^(\/|~\/)/.test(value),
  'is not an absolute path, or one that begins with ~/',
);

export const sandbox = z
  .strictObject({
    level: z
      .enum(SANDBOX_LEVELS)
      .nullable()
      .default(null)
      .describe(
        '`process`, `bash`, `command` or `off`; without it, the strongest that this machine has; `sandbox: process` is short for this key alone',
      ),
    network: z
      .array(
        text.refine(
          isHostPattern,
          'is not a host such as `example.com`, `*.example.com` or `localhost:5432`',
        ),
      )
      .default([])
      .describe(
        "hosts that agents, setup and gates may reach besides the model's and those of the lock files; `localhost:PORT` is a port of this machine",
      ),
    read: z.array(path).default([]).describe('more files and folders that they may read'),
    write: z.array(path).default([]).describe('more files and folders that they may write'),
    command: texts
      .default([])
      .describe('for `command`: a wrapper of your own, to which Ralph appends the command line'),
  })
  .check(({ value, issues }) => {
    if ((value.level === 'command') !== value.command.length > 0)
      issues.push({
        code: 'custom',
        path: ['command'],
        message: 'belongs to the level `command`, which needs it',
        input: value,
      });
  });
