// The graph as Mermaid text. Characters that mean something to Mermaid are written as their code, such as #35;
import { criticalStepTest, type GraphPicture, type ShownTask } from '../../domain/graph/picture.ts';
import type { StateWord } from '../../domain/tasks/status.ts';
import { plural } from '../../domain/text/text.ts';
import { oneLine, statusCell } from '../terminal/style.ts';

/** Mermaid's own limits, unless the page raises them. */
const [MAX_EDGES, MAX_CHARACTERS] = [500, 50_000];

/** Readable on a light and on a dark page. */
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
  if (tasks.size === 0) return `flowchart LR\n  empty["${escapeLabel(empty)}"]`;
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
  const text = ['flowchart LR', ...(note === '' ? [] : [`  %% ${escapeComment(note)}`]), ...lines].join('\n');
  const isLarge = layout.routes.length > MAX_EDGES || text.length > MAX_CHARACTERS;
  return isLarge ? text.replace('\n', `\n  %% ${tooLarge(layout.routes.length, text.length)}\n`) : text;
}

const tooLarge = (edges: number, characters: number): string =>
  `${plural(edges, 'edge')} and ${characters} characters: past the limits of Mermaid unless maxEdges and maxTextSize are raised; or narrow it, or use svg`;

const nodeLine = ({ id, title, state }: ShownTask): string =>
  `  t${id}["${escapeLabel(`${statusCell(state).text} #${id}`)}<br/>${escapeLabel(oneLine(title))}"]`;

function classLines(tasks: readonly ShownTask[], name: string, style: string): string[] {
  if (tasks.length === 0) return [];
  return [`  classDef ${name} ${style}`, `  class ${tasks.map(({ id }) => `t${id}`).join(',')} ${name}`];
}

/**
 * Keeps letters, digits and blanks. Escapes the letters that Mermaid uses to encode numbers, and the blank after
 * "direction": followed by a direction, that word would end the node even in quotes.
 */
const escapeLabel = (text: string): string =>
  text.replace(/[^\p{L}\p{N}\p{M} ]|[ﬂß]|(?<=direction) /gu, (sign) => `#${sign.codePointAt(0)};`);

/** Comments have no escapes. */
const escapeComment = (text: string): string => text.replace(/[^\w .,;()-]/g, ' ');
