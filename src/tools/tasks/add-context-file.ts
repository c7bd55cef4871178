import * as z from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { findFiles } from '../../files/find-files.ts';
import { addContextFile as add } from '../../queue/tasks/context-files.ts';
import { requireSession } from '../client-state.ts';
import { words } from '../fields.ts';
import { defineTool, SETS } from '../tool.ts';

export const addContextFile = defineTool({
  name: 'add_context_file',
  title: 'Add a context file',
  description:
    'Give later sessions of this task, or of its whole feature, a file to read that you had to find. Not one that the task creates.',
  input: z.strictObject({
    path: words.describe('Inside the project, such as src/auth.ts'),
    scope: z.enum(['task', 'feature']).default('task'),
  }),
  example: { path: 'src/auth.ts', scope: 'feature' },
  hints: SETS,
  run: async ({ queue, filesRoot, client, effects }, { path, scope }) => {
    const session_id = requireSession(client);
    const [found, ...more] = await findFiles(filesRoot, path);
    if (found === undefined || more.length > 0)
      throw new Refusal(`${path} is not one file; name a single file.`);
    if (found.kind === 'missing') throw new Refusal(`There is no file ${path} in the project.`);
    if (found.kind === 'withheld') throw new Refusal(`${path} cannot be added: ${found.reason}.`);
    const isSecret = await effects.secrets();
    if (isSecret(found.path) || isSecret(found.real))
      throw new Refusal(`${path} cannot be added: it may hold secrets.`);
    const { feature, isNew } = await add(queue, session_id, found.path, scope);
    const whose = feature === null ? 'this task' : `the feature ${feature}`;
    return {
      text: isNew
        ? `Added. Later sessions of ${whose} are given ${found.path}.`
        : `${found.path} was among the files of ${whose} already.`,
    };
  },
});
