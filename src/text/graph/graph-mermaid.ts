// The graph as Mermaid text, for pages that draw it. What Mermaid reads as more than text is written as its number there: #35;

import { criticalStepTest, type GraphPicture, type ShownTask } from '../../domain/graph/picture.ts';
import type { StateWord } from '../../domain/tasks/status-word.ts';
import { plural } from '../../domain/text/text.ts';
import { oneLine, statusCell } from '../terminal/style.ts';

/** Its own limits, unless the page that draws it has raised them. */
const [MOST_EDGES, MOST_CHARACTERS] = [500, 50_000];

/** In the middle between light and dark: a page may be either. */
const STROKES: Partial<Record<StateWord, string>> = {
  ready: '#0b7285',
  in_progress: '#1f6feb',
  left_behind: '#cf222e',
  needs_input: '#bf8700',
  blocked: '#bf8700',
  failed: '#cf222e',
  done: '#2da44e',
};

export function graphMermaid({ tasks, layout, critical }: GraphPicture, empty: string, note: string): string {
  if (tasks.size === 0) return `flowchart LR\n  empty["${quoted(empty)}"]`;
  const isStep = criticalStepTest(critical);
  const shown = layout.nodes.flatMap(({ id }) => tasks.get(id) ?? []);
  const lines = [
    ...shown.map(nodeLine),
    ...layout.routes.map(({ from, to }) => `  t${from} ${isStep(from, to) ? '==>' : '-->'} t${to}`),
    ...Object.entries(STROKES).flatMap(([state, color]) =>
      classLines(
        shown.filter((task) => task.state === state),
        state,
        `stroke:${color}`,
      ),
    ),
    ...classLines(
      shown.filter((task) => task.critical),
      'critical',
      'stroke-width:4px',
    ),
  ];
  const text = ['flowchart LR', ...(note === '' ? [] : [`  %% ${plain(note)}`]), ...lines].join('\n');
  const isLarge = layout.routes.length > MOST_EDGES || text.length > MOST_CHARACTERS;
  return isLarge ? text.replace('\n', `\n  %% ${tooLarge(layout.routes.length, text.length)}\n`) : text;
}

const tooLarge = (edges: number, characters: number): string =>
  `${plural(edges, 'edge')} and ${characters} characters: past the limits of Mermaid unless maxEdges and maxTextSize are raised; or narrow it, or use svg`;

const nodeLine = ({ id, title, state }: ShownTask): string =>
  `  t${id}["${quoted(`${statusCell(state).text} #${id}`)}<br/>${quoted(oneLine(title))}"]`;

function classLines(tasks: readonly ShownTask[], name: string, style: string): string[] {
  if (tasks.length === 0) return [];
  return [`  classDef ${name} ${style}`, `  class ${tasks.map(({ id }) => `t${id}`).join(',')} ${name}`];
}

/**
 * Letters, digits and blanks stay. Not so the four signs that Mermaid itself writes numbers with, and the blank behind
 * "direction": that word and a direction would end the node, quotes or not.
 */
const quoted = (text: string): string =>
  text.replace(/[^\p{L}\p{N}\p{M} ]|[ﬂß]|(?<=direction) /gu, (sign) => `#${sign.codePointAt(0)};`);

/** For a comment, which has no escapes. */
const plain = (text: string): string => text.replace(/[^\w .,;()-]/g, ' ');
