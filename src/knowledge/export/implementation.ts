import { toImplementation } from '../../domain/implementation.ts';
import type { PlanForm } from '../../domain/plan.ts';
import { readBacklog } from '../import/index.ts';

export const implementationForm: PlanForm = {
  source: 'implementation',
  nameFor: ({ id, feature }) => `${feature ?? 'task'}-${id}`,
  format: (plan) => `${JSON.stringify(toImplementation(plan), null, 2)}\n`,
  read: (text, file) => readBacklog(text, file, 'implementation'),
};
