import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type AgentChoice,
  type AgentDecision,
  agentsInUse,
  chooseAgent,
  chosenText,
  configuredAgents,
} from '../../../src/domain/sessions/choose-agent.ts';
import { NO_FAULTS } from '../../../src/domain/sessions/command-agent.ts';

const MINE = { command: ['./mine'], protocol: 'verbs', stream: 'lines', faults: NO_FAULTS } as const;

type Choice = Partial<AgentChoice['task']> & {
  of?: Partial<NonNullable<AgentChoice['discipline']>>;
  config?: Partial<AgentChoice['config']>;
  fixed?: AgentChoice['fixed'];
  requestedModel?: string;
  parked?: readonly string[];
};

function decide({
  of = {},
  config = {},
  fixed,
  requestedModel,
  parked = [],
  ...task
}: Choice): AgentDecision {
  const defaults = {
    agent: 'claude',
    agents: { mine: MINE },
    model: 'haiku',
    ladder: ['haiku', 'sonnet', 'opus'],
    when_limited: 'wait' as const,
  };
  return chooseAgent({
    requestedModel: requestedModel ?? null,
    task: { agent: null, model: null, attempts: 0, stuck_count: 0, ...task },
    discipline: { agent: null, model: null, ...of },
    config: { ...defaults, ...config },
    parked,
    ...(fixed !== undefined && { fixed }),
  });
}

const choose = (choice: Choice): string => chosenText(decide(choice));

it('a session begins with the model of its task, discipline or project, and climbs the ladder after each failure', () => {
  const of = { model: 'sonnet' };
  expect([choose({}), choose({ of }), choose({ model: 'opus', of })]).toEqual(['haiku', 'sonnet', 'opus']);
  expect([
    choose({ attempts: 1 }),
    choose({ attempts: 1, stuck_count: 1 }),
    choose({ stuck_count: 7 }),
  ]).toEqual(['sonnet', 'opus', 'opus']);
});

it('a ladder climbs over agents, and a model without an agent belongs to that of the project', () => {
  const config = { ladder: ['claude/haiku', 'codex/gpt-5-codex', 'claude/opus'] };
  expect([0, 1, 2, 3].map((attempts) => choose({ attempts, config }))).toEqual([
    'haiku',
    'codex/gpt-5-codex',
    'opus',
    'opus',
  ]);
});

it('the model of a task may be an agent, before that of its discipline and of the project; the command line comes before all', () => {
  const of = { model: 'codex' };
  expect(choose({ of })).toBe('codex');
  expect(choose({ of, model: 'opencode' })).toBe('opencode');
  expect(choose({ of, model: 'opencode', fixed: { agent: 'claude', model: null } })).toBe('haiku');
  expect(choose({ model: 'codex/gpt-5', fixed: { agent: 'claude', model: null } })).toBe('haiku');
  expect(choose({ of, fixed: { agent: null, model: 'codex/gpt-5-mini' } })).toBe('codex/gpt-5-mini');
});

it("another agent of Ralph's takes its own default in the place of Claude's models, and a person's own gets them as they are", () => {
  expect(choose({ config: { agent: 'codex' }, attempts: 2 })).toBe('codex');
  expect(choose({ config: { agent: 'mine' } })).toBe('haiku');
});

it('a slash in the name of a model makes no agent of its first part', () => {
  expect(choose({ model: 'anthropic/claude-x', config: { agent: 'opencode' } })).toBe(
    'opencode/anthropic/claude-x',
  );
  expect(choose({ model: 'opencode/anthropic/claude-x' })).toBe('opencode/anthropic/claude-x');
});

it('an agent may ask only for models of the ladder', () => {
  const config = { ladder: ['haiku', 'codex/gpt-5-codex'] };
  expect(choose({ config, requestedModel: 'codex/gpt-5-codex' })).toBe('codex/gpt-5-codex');
  expect(choose({ config, requestedModel: 'codex/gpt-5-pro' })).toBe('haiku');
});

it('the agents of a configuration are those that it, its models and its ladder name, each once', () => {
  const review = { model: 'opencode/x', when: 'high' as const };
  const config = {
    agent: 'mine',
    agents: { mine: MINE },
    model: 'm',
    ladder: ['codex/a', 'codex/b'],
    review,
  };
  expect(configuredAgents(config)).toEqual(['mine', 'codex', 'opencode']);
  expect(configuredAgents({ ...config, review: { ...review, when: 'never' } }, [null, 'claude'])).toEqual([
    'mine',
    'codex',
    'claude',
  ]);
});

const LADDER = ['claude/haiku', 'codex/gpt-5-mini', 'claude/sonnet', 'codex/gpt-5-codex', 'claude/opus'];

it('the agent of a task comes before that of its discipline and of the project, and each decision says from where', () => {
  expect(decide({})).toEqual({ agent: 'claude', model: 'haiku', from: 'project' });
  expect(decide({ of: { agent: 'codex' } })).toEqual({ agent: 'codex', model: null, from: 'discipline' });
  expect(decide({ of: { agent: 'codex' }, agent: 'opencode' })).toMatchObject({
    agent: 'opencode',
    from: 'task',
  });
  // More specific than the agent of the discipline, even though it is in a model.
  expect(decide({ of: { agent: 'codex' }, model: 'opencode/x/y' })).toEqual({
    agent: 'opencode',
    model: 'x/y',
    from: 'task',
  });
  expect(decide({ agent: 'codex', fixed: { agent: 'claude', model: null } }).from).toBe('command line');
});

it('a model counts only for the agent that it belongs to', () => {
  const config = { agent: 'codex', model: 'gpt-5-codex' };
  expect(choose({ config, agent: 'claude' })).toBe('claude');
  expect(choose({ config, agent: 'claude', model: 'opus' })).toBe('opus');
  expect(choose({ agent: 'claude', model: 'codex/gpt-5' })).toBe('haiku');
  expect(choose({ agent: 'codex', of: { model: 'sonnet' } })).toBe('codex');
  expect(choose({ agent: 'codex', of: { model: 'codex/gpt-5' } })).toBe('codex/gpt-5');
  // A person's own agent knows the names that the person wrote, wherever they stand.
  expect(choose({ agent: 'mine', of: { model: 'sonnet' } })).toBe('sonnet');
});

it('an agent of a task holds for every try and climbs only its own rungs; an agent in a model is only where it begins', () => {
  const config = { ladder: LADDER };
  const tries = (choice: Choice) => [0, 1, 2, 3].map((attempts) => choose({ ...choice, attempts, config }));
  expect(tries({ agent: 'codex' })).toEqual([
    'codex/gpt-5-mini',
    'codex/gpt-5-codex',
    'codex/gpt-5-codex',
    'codex/gpt-5-codex',
  ]);
  expect(tries({ of: { agent: 'claude' } })).toEqual(['haiku', 'sonnet', 'opus', 'opus']);
  expect(tries({ model: 'codex/gpt-5-mini' })).toEqual([
    'codex/gpt-5-mini',
    'sonnet',
    'codex/gpt-5-codex',
    'opus',
  ]);
  expect(choose({ agent: 'codex', config, requestedModel: 'claude/opus' })).toBe('codex/gpt-5-mini');
  expect(decide({ config, attempts: 1 })).toMatchObject({ agent: 'codex', from: 'ladder' });
});

it('no try of a task with an agent is another agent, whatever else is written anywhere', () => {
  const agent = fc.constantFrom('claude', 'codex', 'opencode', 'mine');
  const model = fc.constantFrom('haiku', 'codex', 'codex/a', 'claude/opus', 'opencode/x/y', 'mine/m', 'm');
  const named = fc.record({ agent: fc.option(agent), model: fc.option(model) });
  const choice = fc.record({
    task: named,
    of: named,
    config: fc.record({ agent, model, ladder: fc.array(model, { maxLength: 5 }) }),
    attempts: fc.nat(6),
    requestedModel: model,
  });
  fc.assert(
    fc.property(choice, ({ task, of, config, attempts, requestedModel }) => {
      const decision = decide({ ...task, of, config, attempts, requestedModel });
      const held =
        task.agent ?? (task.model === null || task.model === 'm' || task.model === 'haiku' ? of.agent : null);
      if (held !== null) expect(decision.agent).toBe(held);
      const known = agentsInUse(
        { ...config, agents: { mine: MINE }, review: { model: 'x', when: 'never' } },
        [task, of],
      );
      expect(known).toContain(decision.agent);
    }),
  );
});

it('a task whose agent is limited climbs to the next agent of the ladder only if the configuration says so', () => {
  const config = { ladder: LADDER, when_limited: 'climb' as const };
  expect(choose({ config: { ladder: LADDER }, parked: ['claude'] })).toBe('haiku');
  expect(choose({ config, parked: ['claude'] })).toBe('codex/gpt-5-mini');
  expect(decide({ config, parked: ['claude'] }).from).toBe('ladder');
  expect(choose({ config, parked: ['claude'], attempts: 4 })).toBe('codex/gpt-5-mini');
  // An agent that somebody named holds, and so does a rung if no other agent is left.
  expect(choose({ config, agent: 'claude', parked: ['claude'] })).toBe('haiku');
  expect(choose({ config, parked: ['claude', 'codex'] })).toBe('haiku');
});
