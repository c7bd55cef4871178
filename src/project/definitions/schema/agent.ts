// What the configuration says of agents: those of the person's own, and settings for those that Ralph knows.
import * as z from 'zod';
import { STREAMS } from '../../../domain/config.ts';
import { AGENT_NAMES } from '../../../domain/sessions/agent-names.ts';
import { patternProblem, placeholderProblem } from '../../../domain/sessions/command-agent.ts';
import { text, texts } from './fields.ts';

const faults = z
  .array(z.union([text.min(1), z.number()], 'is neither an expression nor an exit code'))
  .check(({ value, issues }) => {
    for (const [index, pattern] of value.entries()) {
      const problem = patternProblem(pattern);
      if (problem !== null) issues.push({ code: 'custom', path: [index], message: problem, input: pattern });
    }
  })
  .default([]);

export const agent = z.strictObject({
  command: texts
    .min(1)
    .refine((command) => placeholderProblem(command) === null, {
      error: ({ input }) => placeholderProblem(input as string[]) ?? '',
    })
    .describe(
      'the executable and its arguments; it gets the prompt on stdin. `{mcp_config}`, `{model}`, `{prompt_file}`, `{max_turns}`, `{budget}` and `{session_id}` are replaced',
    ),
  protocol: z
    .enum(['verbs', 'sigils'])
    .default('verbs')
    .describe('how it reports: MCP tools, or tags in its text'),
  stream: z
    .enum(STREAMS)
    .default('lines')
    .describe('whose events it prints, so that Ralph can count turns, tokens and cost; or `lines` of text'),
  faults: z
    .strictObject({
      limit: faults.describe(
        'expressions for a line of its standard error, or exit codes, that mean a usage limit',
      ),
      auth: faults.describe('the same for a missing or wrong login'),
    })
    .prefault({}),
});

/** Claude Code has files of its own in the project. */
const WITH_SETTINGS = AGENT_NAMES.filter((name) => name !== 'claude');

export const agentSettings = z
  .partialRecord(z.enum(WITH_SETTINGS), z.record(z.string(), z.json()))
  .default({})
  .describe(
    'settings for an agent that Ralph knows, as its own configuration file has them, such as a provider',
  );
