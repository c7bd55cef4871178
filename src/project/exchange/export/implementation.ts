import type { PlanForm } from '../../../domain/exchange/backlog-file.ts';
import { visibleJson } from '../../../domain/text/text.ts';
import { toImplementation } from '../implementation-file.ts';
import { readBacklog } from '../import/index.ts';

export const implementationForm: PlanForm = {
  source: 'implementation',
  nameFor: ({ id, feature }) => `${feature ?? 'task'}-${id}`,
  format: (plan) => `${visibleJson(toImplementation(plan))}\n`,
  read: (text, file) => readBacklog(text, file, 'implementation'),
};
