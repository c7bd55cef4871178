import { toImplementation } from '../../domain/implementation.ts';
import type { PlanForm } from '../../domain/plan.ts';
import { visibleJson } from '../../domain/text.ts';
import { readBacklog } from '../import/index.ts';

export const implementationForm: PlanForm = {
  source: 'implementation',
  nameFor: ({ id, feature }) => `${feature ?? 'task'}-${id}`,
  format: (plan) => `${visibleJson(toImplementation(plan))}\n`,
  read: (text, file) => readBacklog(text, file, 'implementation'),
};
