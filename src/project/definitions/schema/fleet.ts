import * as z from 'zod';

const positive = z.number().positive();

/** How machines that share a database tell that they are alive, and what they keep for each other. */
export const fleet = z
  .strictObject({
    lease_seconds: positive
      .default(60)
      .describe('how long a run on another machine counts as alive after its last heartbeat'),
    heartbeat_seconds: positive
      .default(10)
      .describe('how often a run says that it is alive; at least four times a lease'),
    keep_days: positive
      .default(30)
      .describe('how long a shared database keeps prompts, output and gate logs of ended sessions'),
    wip_minutes: positive
      .default(10)
      .describe('how often a session at work pushes its unfinished work, with `land.remote`'),
  })
  .check(({ value, issues }) => {
    if (value.heartbeat_seconds * 4 > value.lease_seconds)
      issues.push({
        code: 'custom',
        path: ['heartbeat_seconds'],
        message: `is more than a quarter of lease_seconds, which is ${value.lease_seconds}`,
        input: value.heartbeat_seconds,
      });
  });
