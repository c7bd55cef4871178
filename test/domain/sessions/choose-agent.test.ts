import { expect, it } from 'vitest';
import {
  type AgentChoice,
  chooseAgent,
  chosenText,
  configuredAgents,
} from '../../../src/domain/sessions/choose-agent.ts';
import { NO_FAULTS } from '../../../src/domain/sessions/fault-pattern.ts';

const MINE = { command: ['./mine'], protocol: 'verbs', stream: 'lines', faults: NO_FAULTS } as const;

type Choice = Partial<AgentChoice['task']> & {
  of?: AgentChoice['discipline'];
  config?: Partial<AgentChoice['config']>;
  fixed?: AgentChoice['fixed'];
  requestedModel?: string;
};

function choose({ of = null, config = {}, fixed, requestedModel, ...task }: Choice): string {
  const defaults = {
    agent: 'claude',
    agents: { mine: MINE },
    model: 'haiku',
    ladder: ['haiku', 'sonnet', 'opus'],
  };
  return chosenText(
    chooseAgent({
      requestedModel: requestedModel ?? null,
      task: { model: null, attempts: 0, stuck_count: 0, ...task },
      discipline: of,
      config: { ...defaults, ...config },
      ...(fixed !== undefined && { fixed }),
    }),
  );
}

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
  expect(choose({ of, model: 'opencode', fixed: { agent: 'claude', model: null } })).toBe('claude');
  expect(choose({ model: 'codex/gpt-5', fixed: { agent: 'claude', model: null } })).toBe('claude');
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
