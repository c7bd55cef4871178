import { expect, it } from 'vitest';
import type { ProposedTask } from '../../src/domain/planning/proposal.ts';
import { TASK_DEFAULTS } from '../../src/domain/tasks/task.ts';
import { proposalText } from '../../src/text/proposal-text.ts';

it('a proposed task that only waits for its feature says so', () => {
  const task = (id: number, depends_on: number[]): ProposedTask => ({
    id,
    fields: { ...TASK_DEFAULTS, title: `Task ${id}`, feature: 'later', discipline: 'backend' },
    depends_on,
    is_ready: false,
  });
  const proposal = { seen: 0, features: [], added: [task(1, []), task(2, [1])], changed: [], left_out: [] };
  const [first, second] = proposalText(proposal, { columns: 80, color: false }).split('\n');
  expect(first).toMatch(/: when its feature is active$/);
  expect(second).toMatch(/: after "Task 1"$/);
});
