import { Argument } from 'commander';
import { withQueue } from '../../../app/open-project.ts';
import { variantNames } from '../../../domain/sessions/variants.ts';
import { readRecipeOverrides } from '../../../project/read-config.ts';
import { compareByName } from '../../../queue/sessions/variants.ts';
import { comparisonText } from '../../../text/variants-text.ts';
import { defineCommand } from '../../command.ts';

export const recipe = defineCommand<[action: 'compare', one: string, other: string]>({
  name: 'recipe',
  summary: 'compare two variants of the recipe task_execution by what their sessions achieved',
  group: 'Look',
  args: [
    new Argument('<action>', 'compare').choices(['compare']),
    new Argument('<one>', 'a variant, or base for the recipe itself'),
    new Argument('<other>', 'another variant'),
  ],
  examples: ['ralph recipe compare base short', 'ralph recipe compare short long --json'],
  run: (context, [, one, other]) =>
    withQueue(context, async ({ queue, root }) => {
      const names = [one, other] as const;
      const defined = variantNames('task_execution', (await readRecipeOverrides(root)).keys());
      const comparison = await compareByName(queue, names, defined);
      return {
        json: { recipe: 'task_execution', one, other, ...comparison },
        text: comparisonText(names, comparison, context.terminal),
      };
    }),
});
