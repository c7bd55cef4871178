// The graph as a self-contained picture: no script, no font, nothing fetched; light or dark as the reader prefers.
import { arrowHead, MEASURES, type Point, svgPath } from '../../domain/graph/layout.ts';
import type { GraphPicture, ShownTask } from '../../domain/graph/picture.ts';
import { criticalStepTest } from '../../domain/graph/picture.ts';
import { type StateWord, stateName } from '../../domain/tasks/status.ts';
import { escapeXml, plural } from '../../domain/text/text.ts';
import { oneLine, statusCell } from '../terminal/style.ts';
import { clip } from '../terminal/table.ts';

const MARGIN = 24;
/** Height of the note about what was left out. */
const NOTE_HEIGHT = 28;
const TITLE_COLUMNS = 30;

export function graphSvg(picture: GraphPicture, empty: string, note: string): string {
  const { tasks, layout, critical } = picture;
  const isStep = criticalStepTest(critical);
  const isEmpty = tasks.size === 0;
  const [width, height] = [
    Math.max(layout.width, isEmpty || note !== '' ? 480 : 0) + 2 * MARGIN,
    Math.max(layout.height, isEmpty ? NOTE_HEIGHT : 0) + 2 * MARGIN + (note === '' ? 0 : NOTE_HEIGHT),
  ];
  const title = isEmpty
    ? empty
    : `Dependencies of ${plural(tasks.size, 'task')}${critical.tasks.length === 0 ? '' : `; the critical path is ${critical.tasks.length} long`}`;
  // The critical path last, so that no other line covers it.
  const routes = [...layout.routes].sort(
    (a, b) => Number(isStep(a.from, a.to)) - Number(isStep(b.from, b.to)),
  );
  const ends = new Set(layout.routes.map(({ to }) => to));
  const lines = [
    ...routes.map(({ from, to, points }) => {
      const look = isStep(from, to) ? ' class="critical"' : '';
      return `<path${look} d="${svgPath(points)}"><title>#${to} waits for #${from}</title></path>`;
    }),
    ...layout.nodes.flatMap(({ id, x, y }) =>
      ends.has(id) ? [arrow({ x, y: y + MEASURES.height / 2 })] : [],
    ),
  ];
  const boxes = layout.nodes.flatMap(({ id, x, y }) => {
    const task = tasks.get(id);
    return task === undefined ? [] : [box(task, { x: x + MARGIN, y: y + MARGIN })];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${GRAPH_STYLE}</style>`,
    '<rect class="ground" width="100%" height="100%"/>',
    `<g class="edges" transform="translate(${MARGIN} ${MARGIN})">`,
    ...lines,
    '</g>',
    ...boxes,
    ...(isEmpty ? [`<text class="note" x="${MARGIN}" y="${MARGIN + 16}">${escapeXml(empty)}</text>`] : []),
    ...(note === ''
      ? []
      : [`<text class="note" x="${MARGIN}" y="${height - MARGIN + 4}">${escapeXml(note)}</text>`]),
    '</svg>',
  ].join('\n');
}

/** A nested svg: text that does not fit is cut at the edge of the box, whatever the font. */
function box({ id, title, state, estimated_turns, critical }: ShownTask, { x, y }: Point): string {
  const { width, height } = MEASURES;
  const label = oneLine(title);
  const turns = estimated_turns === null ? '' : `, ${plural(estimated_turns, 'turn')}`;
  const tooltip = `#${id} ${label} (${stateName(state)}${turns}${critical ? ', on the critical path' : ''})`;
  return [
    `<svg class="${state}${critical ? ' critical' : ''}" x="${x}" y="${y}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(tooltip)}</title>`,
    `<rect class="box" x="2" y="2" width="${width - 4}" height="${height - 4}" rx="6"/>`,
    `<text class="state" x="12" y="20">${escapeXml(statusCell(state).text)}</text>`,
    `<text class="id" x="${width - 12}" y="20">#${id}</text>`,
    `<text x="12" y="37">${escapeXml(clip(label, TITLE_COLUMNS))}</text>`,
    '</svg>',
  ].join('');
}

const arrow = (point: Point): string => `<path class="arrow" d="${arrowHead(point)}"/>`;

/** An element with the state as its class gets this colour as --state. */
const COLORS: Readonly<Record<StateWord, Readonly<Record<'light' | 'dark', string>>>> = {
  draft: { light: '#6e7781', dark: '#8b949e' },
  pending: { light: '#57606a', dark: '#adbac7' },
  waiting: { light: '#57606a', dark: '#adbac7' },
  ready: { light: '#0b7285', dark: '#56d4dd' },
  in_progress: { light: '#0969da', dark: '#79c0ff' },
  left_behind: { light: '#cf222e', dark: '#ff7b72' },
  needs_input: { light: '#9a6700', dark: '#e3b341' },
  blocked: { light: '#9a6700', dark: '#e3b341' },
  failed: { light: '#cf222e', dark: '#ff7b72' },
  done: { light: '#1a7f37', dark: '#7ee787' },
  skipped: { light: '#6e7781', dark: '#8b949e' },
};

export const stateColors = (scheme: 'light' | 'dark'): string =>
  Object.entries(COLORS)
    .map(([state, look]) => `.${state}{--state:${look[scheme]}}`)
    .join('');

/** Inside an HTML page this style holds for the whole page, which must not use these classes otherwise. */
export const GRAPH_STYLE = [
  '',
  `svg{--ground:#ffffff;--box:#f6f8fa;--text:#1f2328;--line:#8c959f;--critical:#8250df}${stateColors('light')}`,
  `@media (prefers-color-scheme:dark){svg{--ground:#0d1117;--box:#161b22;--text:#e6edf3;--line:#6e7681;--critical:#d2a8ff}${stateColors('dark')}}`,
  'text{font:12px system-ui,sans-serif;fill:var(--text)}',
  '.state{font-weight:600;fill:var(--state)}.id{text-anchor:end;fill:var(--state)}.note{fill:var(--line)}',
  '.ground{fill:var(--ground)}.box{fill:var(--box);stroke:var(--state);stroke-width:1.5}.critical .box{stroke:var(--critical);stroke-width:3}',
  '.edges path{fill:none;stroke:var(--line);stroke-width:1.25}.edges .critical{stroke:var(--critical);stroke-width:3}.edges .arrow{fill:var(--line);stroke:none}',
  '',
].join('\n');
