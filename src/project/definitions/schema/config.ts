import * as z from 'zod';
import { AGENT_NAMES } from '../../../domain/sessions/agent-names.ts';
import { agentNames, unknownAgent } from '../../../domain/sessions/choose-agent.ts';
import { PLACEHOLDERS, unknownPlaceholders } from '../../../domain/sessions/commit-message.ts';
import { EFFORTS } from '../../../domain/tasks/task.ts';
import { isProjectPath } from '../../../domain/text/text.ts';
import { agent, agentSettings } from './agent.ts';
import { text, texts } from './fields.ts';
import { fleet } from './fleet.ts';
import { github, land } from './land.ts';
import { notify } from './notify.ts';
import { sandbox } from './sandbox.ts';

const positive = z.number().positive();
const whole = z.int().positive();

const gate = z.strictObject({
  name: text.min(1).describe('the name of the gate in reports and prompts'),
  command: z
    .union([text.min(1), z.array(text).min(1)], 'is neither a shell line nor a list of arguments')
    .describe('a shell line, or an argument list that no shell sees; its exit code decides'),
  required: z.boolean().default(true).describe('whether a failure refutes a "done"'),
  timeout_seconds: positive.default(600).describe('a gate that takes longer has failed'),
  max_output_mb: whole
    .default(16)
    .describe('output that its log keeps; of longer output, the start and the end'),
  expect: text.nullable().default(null).describe('text that the output must contain for a pass to count'),
  flaky: z
    .enum(['retry', 'fail'])
    .default('retry')
    .describe('whether a red gate runs once more on the unchanged tree, or counts at once'),
});

const slots = z.strictObject({
  setup: text
    .min(1)
    .nullable()
    .default(null)
    .describe('a shell line that prepares a fresh checkout, such as `npm ci`'),
  setup_seconds: positive.default(1800).describe('a setup that takes longer has failed'),
  stamp: texts.default([]).describe('files whose change makes the setup run again, such as a lock file'),
  env: z
    .record(z.string(), text)
    .check(({ value, issues }) => {
      for (const name of Object.keys(value))
        if (!/^[A-Za-z_]\w*$/.test(name))
          issues.push({
            code: 'custom',
            path: [name],
            message: 'is not the name of a variable',
            input: name,
          });
    })
    .default({})
    .describe("variables for agents, gates and setup; `{slot}` is replaced by the slot's number"),
  gates_at_once: whole
    .nullable()
    .default(null)
    .describe('how many slots may run gates at the same time; without it, half as many as there are cores'),
  folder: text
    .min(1)
    .nullable()
    .default(null)
    .describe("the folder that holds the slots; without it, they are in Ralph's state folder"),
  keep: texts
    .default([])
    .describe(
      'ignored files that gates may leave for later gates, such as `target/`; patterns, with `~/` for the home of gates',
    ),
  clean: z
    .boolean()
    .default(false)
    .describe('whether Ralph removes ignored files and runs the setup before every session'),
});

const limits = z.strictObject({
  session_seconds: positive.default(3600).describe('wall clock of one session'),
  idle_seconds: positive.default(600).describe('silence after which Ralph ends a session'),
  max_turns: whole.default(50).describe('turns of one session, unless the task estimates its own'),
  session_budget_usd: positive.default(2).describe('cost of one session'),
  run_budget_usd: positive.default(50).describe('cost of one run'),
  stagnation: whole
    .default(3)
    .describe('sessions in a row without a change after which a run passes the task over'),
  stuck: whole.default(3).describe('a task fails after it was stuck this many times'),
  repeats: whole
    .default(5)
    .describe(
      'failures of the same command or edit after which Ralph warns the agent; as many again end the session',
    ),
  outage_minutes: positive
    .default(60)
    .describe(
      'how long a run waits for an API that fails or cannot be reached; with `ralph run --wait` there is no limit',
    ),
  brief_minutes: positive
    .default(5)
    .describe(
      'how long a run waits for an overloaded model, a rate limit, or a usage limit that ends within this time; with `ralph run --wait` there is no limit',
    ),
});

const knowledge = z.strictObject({
  delivery: z
    .enum(['auto', 'inject', 'resources'])
    .default('auto')
    .describe('files in the prompt, as links, or by budget'),
  budget_tokens: whole
    .default(20_000)
    .describe('tokens of changes (at most half) and of files that `auto` puts into a prompt'),
  top_k: whole.default(5).describe('learnings chosen for a prompt'),
  ollama_url: z
    .url()
    .default('http://127.0.0.1:11434')
    .describe('the address of Ollama for embeddings; Ralph works without it'),
  embedding_model: text.min(1).default('nomic-embed-text').describe('the model asked for embeddings'),
  secrets: texts
    .default([])
    .describe('patterns of files that never go into a prompt, besides .env, keys and the like'),
  auto_context: z
    .boolean()
    .default(false)
    .describe(
      'whether files that several sessions of a feature touch become its context files without approval',
    ),
});

const review = z.strictObject({
  model: text.min(1).default('opus').describe('the model that reviews'),
  when: z.enum(['never', 'high', 'always']).default('never').describe('which done tasks are reviewed'),
});

const commit = z.strictObject({
  policy: z
    .enum(['task', 'feature', 'agent', 'never'])
    .default('task')
    .describe('who commits, and when; `commit: task` is short for this key alone'),
  hooks: z
    .enum(['run', 'skip'])
    .default('skip')
    .describe(
      'whether the pre-commit and commit-msg hooks of the repository judge a commit that Ralph makes',
    ),
  message: text
    .min(1)
    .default('{title}')
    .refine((template) => unknownPlaceholders(template).length === 0, {
      error: ({ input }) =>
        `has the placeholder ${unknownPlaceholders(String(input))[0]}; there are ${PLACEHOLDERS.join(', ')}`,
    })
    .describe(
      "the subject of a commit, with `{title}`, `{id}`, `{feature}` and `{type}`. The type is a tag of the task such as `fix`, or follows from its title. The summary and Ralph's trailers come after the subject",
    ),
});

export const configSchema = z
  .strictObject({
    agent: text
      .min(1)
      .default('claude')
      .describe(`${AGENT_NAMES.join(', ')}, or a key of \`agents\``),
    model: text
      .min(1)
      .default('haiku')
      .describe(
        'the model, unless the task or its discipline names one. It may name its agent, too: `codex/gpt-5-codex`',
      ),
    effort: z
      .enum(EFFORTS)
      .nullable()
      .default(null)
      .describe(
        "how hard the model thinks, unless the task or its discipline says so; without it, the agent's default",
      ),
    ladder: texts
      .default(['haiku', 'sonnet', 'opus'])
      .describe(
        'models to climb after failed tries, also over agents: `[claude/haiku, codex/gpt-5-codex, claude/opus]`',
      ),
    when_limited: z
      .enum(['wait', 'climb'])
      .default('wait')
      .describe(
        'what a task does while its agent is at a limit: `wait`, or `climb` to the next model of another agent',
      ),
    max_attempts: whole
      .default(3)
      .describe('a task fails after Ralph has refused its "done" this many times'),
    labels: texts.default([]).describe('what runs here offer to tasks with `needs`, such as `gpu`'),
    jobs: z.int().min(1).max(64).default(1).describe('sessions at the same time, at most 64'),
    in_place: z
      .boolean()
      .default(false)
      .describe('whether sessions work in your checkout itself, one at a time, instead of in slots'),
    slots: slots.prefault({}),
    land: land.prefault({}),
    fleet: fleet.prefault({}),
    // `commit: task` is the short form.
    commit: z.preprocess(
      (value) => (typeof value === 'string' ? { policy: value } : value),
      commit.prefault({}),
    ),
    verify_feature: z
      .boolean()
      .default(false)
      .describe('whether Ralph adds a task that verifies the whole feature when its other tasks are done'),
    specs: texts.default(['specs']).describe('directories the agent must read and not change'),
    gates: z.array(gate).default([]).describe('commands that Ralph runs to check a "done"'),
    env: texts
      .default([])
      .describe(
        'variables that agents and gates get besides those listed below: names, or patterns such as `SHOP_*`',
      ),
    secrets_allowed: texts
      .default([])
      .describe(
        'patterns of files that a commit may contain although they seem to hold a secret, such as fixtures',
      ),
    limits: limits.prefault({}),
    knowledge: knowledge.prefault({}),
    review: review.prefault({}),
    permissions: z
      .enum(['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan'])
      .default('bypassPermissions')
      .describe("Claude Code's permission mode"),
    // `sandbox: process` is the short form.
    sandbox: z.preprocess(
      (value) => (typeof value === 'string' ? { level: value } : value),
      sandbox.prefault({}),
    ),
    mirror: text
      .min(1)
      .nullable()
      .default(null)
      .describe(
        'a file in the format of implementation.json that Ralph keeps equal to the queue; it imports your edits',
      ),
    progress_file: text
      .min(1)
      .refine((path) => path === 'off' || isProjectPath(path), 'is not a path inside the project')
      .default('PROGRESS.md')
      .describe(
        'the file in which each finished feature gets an entry, which Ralph commits, unless the commit policy is `never`; or `off`',
      ),
    github: github.prefault({}),
    notify,
    agents: z.record(z.string(), agent).default({}).describe('agents of your own, by name'),
    agent_settings: agentSettings,
  })
  .check((context) => {
    const { agent: chosen, agents, gates } = context.value;
    if (unknownAgent([chosen], { agents }) !== null)
      context.issues.push({
        code: 'custom',
        path: ['agent'],
        message: `is "${chosen}", not one of the agents: ${agentNames({ agents }).join(', ')}`,
        input: chosen,
      });
    const twin = gates.findIndex(
      ({ name }, index) => gates.findIndex((other) => other.name === name) < index,
    );
    if (twin >= 0)
      context.issues.push({
        code: 'custom',
        path: ['gates', twin, 'name'],
        message: 'is used by an earlier gate',
        input: gates,
      });
  });

export const recipeSchema = z.strictObject({
  sections: texts
    .nullable()
    .default(null)
    .describe('the sections in another order; those not named are left out'),
  off: texts.default([]).describe('sections to leave out'),
  text: z.record(z.string(), text).default({}).describe('text of your own, by section name'),
});
