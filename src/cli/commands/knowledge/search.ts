import { Argument, Option } from 'commander';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import type { FoundEntry } from '../../../context/search.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { plural } from '../../../domain/text/text.ts';
import { featureDetails } from '../../../queue/tasks/features.ts';
import { oneLine, paint } from '../../../text/terminal/style.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand } from '../../command.ts';
import { parseCount } from '../../parse.ts';

export const search = defineCommand<[text: string], { feature?: string; limit: number }>({
  name: 'search',
  summary: 'search learnings, definitions, documents and the journal',
  group: 'Look',
  args: [new Argument('<text>', 'words to look for; one match is enough, more rank higher')],
  options: [
    new Option('--feature <name>', 'only what belongs to this feature'),
    new Option('--limit <n>', 'show at most this many').argParser(parseCount).default(10),
  ],
  examples: ['ralph search "refresh token"', 'ralph search getUserById --feature auth --json'],
  run: (context, [text], { feature, limit }) =>
    withProject(context, async ({ queue, root, stateDir }) => {
      if (!/[\p{L}\p{N}]/u.test(text))
        throw new Refusal('Say what to look for, as in: ralph search "refresh token"');
      if (feature !== undefined) await featureDetails(queue, feature);
      const [{ plainSnippet, search: find }, { readConfig }] = await Promise.all([
        import('../../../context/search.ts'),
        import('../../../project/read-config.ts'),
      ]);
      const place = { store: queue.store, root, stateDir, config: await readConfig(root) };
      const found = await find(place, { text, feature: feature ?? null, limit });
      return {
        json: found.map((one) => {
          const { kind, ref, title, score } = one;
          return { source: kind, ref, title, snippet: plainSnippet(one), score };
        }),
        text: found.length === 0 ? 'Nothing was found.' : foundText(found, plainSnippet, context),
      };
    }),
});

function foundText(
  found: readonly FoundEntry[],
  plain: (entry: FoundEntry) => string,
  { terminal }: CommandContext,
): string {
  const blocks = found.map((one) => {
    const { kind, ref, title, score } = one;
    const head = `${kind} ${oneLine(ref)}${kind === 'document' ? '' : `  ${oneLine(title)}`}`;
    const text = oneLine(plain(one)).trim();
    const lines = text === '' ? '' : `\n${wrap(`  ${text}`, terminal.columns)}`;
    return `${paint(head, 'bold', terminal.color)}  ${paint(String(score), 'dim', terminal.color)}${lines}`;
  });
  return `${blocks.join('\n')}\n\n${plural(found.length, 'result')}, the best first.`;
}
