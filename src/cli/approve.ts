import { approve as approveTasks } from '../queue/decide.ts';
import { decision } from './decide.ts';

export const approve = decision(
  { name: 'approve', summary: 'put drafts into the queue', examples: ['ralph approve 8 9'] },
  ({ queue }, ids) => approveTasks(queue, ids),
  'Queued',
);
