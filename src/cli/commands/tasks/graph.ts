import { Argument, Option } from 'commander';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { buildPicture, criticalStepTest, type GraphPicture } from '../../../domain/graph/picture.ts';
import { plural } from '../../../domain/text/text.ts';
import { isAlive } from '../../../host/processes/process-identity.ts';
import { orphanedTasks } from '../../../queue/sessions/runs.ts';
import { graph as readGraph } from '../../../queue/tasks/graph.ts';
import { graphMermaid } from '../../../text/graph/graph-mermaid.ts';
import { graphSvg } from '../../../text/graph/graph-svg.ts';
import { graphText } from '../../../text/graph/graph-text.ts';
import { defineCommand } from '../../command.ts';
import { parseId } from '../../parse.ts';
import { writeOutput } from '../../terminal/output-file.ts';
import { emptyText } from './list.ts';

type Options = { feature?: string; all?: boolean; mermaid?: boolean; svg?: boolean; output?: string };

export const graph = defineCommand<[id: number | undefined], Options>({
  name: 'graph',
  summary: 'draw which task waits for which, in waves, with the critical path',
  group: 'Look',
  args: [new Argument('[id]', 'only this task, what it waits for, and what waits for it').argParser(parseId)],
  options: [
    new Option('--feature <name>', 'only the tasks of this feature'),
    new Option('--all', 'include done and skipped tasks'),
    new Option('--mermaid', 'print a Mermaid flowchart').conflicts(['svg', 'json']),
    new Option('--svg', 'print an SVG picture').conflicts(['mermaid', 'json']),
    new Option('--output <file>', 'write to this file').conflicts('json'),
  ],
  examples: ['ralph graph', 'ralph graph 7 --all', 'ralph graph --feature auth --svg --output graph.svg'],
  run: (context, [id], options) =>
    withProject(context, async ({ queue }) => {
      const { feature, output } = options;
      const filter = { ...(id !== undefined && { around: id }), ...(feature !== undefined && { feature }) };
      const found = await readGraph(queue, filter);
      const picture = buildPicture(found, {
        all: options.all ?? false,
        around: id ?? null,
        now: context.now(),
        leftBehind: await orphanedTasks(queue, isAlive),
      });
      const empty = found.tasks.length > 0 ? '' : emptyText(filter);
      if (context.asJson) return { json: graphJson(picture), text: '' };
      const text = drawGraph(picture, empty, options, context);
      if (output === undefined) return { json: null, text };
      return { json: null, text: await writeOutput(context.cwd, output, text) };
    }),
});

function drawGraph(
  picture: GraphPicture,
  empty: string,
  { mermaid, svg, output }: Options,
  { terminal }: CommandContext,
): string {
  const note = leftOutNote(picture.left_out);
  const [instead, below] = picture.tasks.size > 0 ? ['', note] : [empty || note, ''];
  if (mermaid) return graphMermaid(picture, instead, below);
  if (svg) return graphSvg(picture, instead, below);
  if (instead !== '') return instead;
  const look = output === undefined ? terminal : { columns: Number.POSITIVE_INFINITY, color: false };
  return graphText(picture, below, look);
}

function leftOutNote({ done, skipped, elsewhere }: GraphPicture['left_out']): string {
  const counts = [...(done > 0 ? [`${done} done`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  const sentences = [
    ...(counts.length > 0 ? [`Left out: ${counts.join(', ')}. --all shows them, too.`] : []),
    ...(elsewhere.length > 0
      ? [`Not shown: ${plural(elsewhere.length, 'open task')} outside of this selection that these wait for.`]
      : []),
  ];
  return sentences.join(' ');
}

function graphJson({ tasks, layout, critical, left_out }: GraphPicture): object {
  const isStep = criticalStepTest(critical);
  return {
    nodes: layout.nodes.flatMap(({ id, layer, order }) => {
      const task = tasks.get(id);
      return task === undefined ? [] : [{ ...task, layer, order }];
    }),
    edges: layout.routes.map(({ from, to }) => ({ from, to, critical: isStep(from, to) })),
    critical_path: critical,
    left_out,
  };
}
