import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GraphTask } from '../../../src/domain/graph/picture.ts';
import { STATUSES } from '../../../src/domain/tasks/task.ts';
import type { Report } from '../../../src/queue/sessions/report.ts';
import { startRun, stopRun } from '../../../src/queue/sessions/runs.ts';
import { GRAPH_STYLE } from '../../../src/text/graph/graph-svg.ts';
import { reportHtml } from '../../../src/text/report/report-html.ts';
import { reportMarkdown } from '../../../src/text/report/report-markdown.ts';
import { runPicture } from '../../../src/text/report/report-parts.ts';
import { done, everything, work } from '../../support/finished-run.ts';
import { HOSTILE_TEXTS } from '../../support/hostile-text.ts';
import { workedProject } from '../../support/project-with-sessions.ts';
import { done as say, scripted, shell } from '../../support/scripted-agent.ts';
import { tries } from '../../support/tries.ts';
import { type Element, everyElement, parseXml, textOf } from '../../support/xml.ts';

const PARALLEL = {
  peak: 3,
  sessions_ms: 3_840_000,
  wall_ms: 1_450_000,
  gate_runs: 25,
  landed: 8,
  conflicts: 2,
};

/** Fails on whatever is not one well-formed page. */
const parsed = (page: string): Element => parseXml(page.replace(/^<!doctype html>\n/, ''));

const named = (root: Element, ...names: string[]): Element[] =>
  everyElement(root).filter(({ name }) => names.includes(name));

const headings = (root: Element): string[] => named(root, 'h1', 'h2').map(textOf);

const rows = (root: Element): string[][] =>
  named(root, 'tr').map((row) => named(row, 'th', 'td').map(textOf));

describe('ralph report --html', () => {
  it('the HTML report has every result of a run, and what needs you first', async () => {
    const project = await everything();
    await stopRun(project.queue, project.run_id, 'waiting');
    const page = parsed((await project.within('report', '--html')).stdout);
    expect(page.attributes).toEqual({ lang: 'en' });
    expect(headings(page)).toEqual([
      'Run 1',
      'Needs you',
      'Tasks',
      'Dependencies',
      'Gates that failed',
      'Questions',
      'Flags',
      'Learned',
      'Suggested',
    ]);
    expect(named(page, 'p').map(textOf).slice(1)).toEqual([
      'Stopped: no task was ready, and the rest needed a person.',
      'None of them waits for another.',
    ]);
    expect(named(page, 'li').map(textOf)).toEqual([
      'Q2 of #2: REST or gRPC? Open, its task waits: ralph answer 2 "..."',
      '#1 test (exit code 1): retry.spec.ts:41 expected 2, got 3 · ralph log aaaaaaaa',
      'Q1 of #2: Which zone? Answer: UTC',
      'blocking security, #1: A key in the log',
      'info incomplete prior, #1: Names differ',
      'gotcha, #1: Filter before counting. (why: It failed)',
      'new task, #1: Share escape() (why: Two pages need it.)',
    ]);
    const tiles = named(page, 'dl').flatMap((list) => named(list, 'div').map(textOf));
    expect(tiles.map((tile) => tile.replace(/[\d.]+s$/, '1s'))).toEqual([
      'tasks done1 of 3',
      'sessions4',
      'time of work1s',
      'cost$0.60',
      'tokens36k in, 1.0k out',
      'gates passed1 of 2',
    ]);
    expect(rows(page).map((cells) => cells.with(4, ''))).toEqual([
      ['#', 'task', 'outcome', 'tries', '', 'cost', 'tokens', 'gates', 'commit'],
      ['1', 'Build it', '✓ done', '2', '', '$0.40', '25k', '1/1', 'a1b2c3d'],
      ['2', 'Ask about it', '? partial, now asking', '1', '', '$0.20', '12k', '-', '-'],
      ['3', 'Go on', '▶ running', '1', '', '-', '0', '-', '-'],
    ]);
    const scopes = named(page, 'th').map(({ attributes }) => attributes['scope']);
    expect(scopes).toEqual([...Array.from({ length: 9 }, () => 'col'), 'row', 'row', 'row']);
  });

  it('the HTML report says if there is nothing to show', async () => {
    const project = await workedProject('Build it');
    await work(project, 'aaaaaaaa-1', [done]);
    const idle = await startRun(project.queue, { pid: 1, process_started: null });
    await stopRun(project.queue, idle, 'finished');
    const empty = parsed((await project.within('report', '--html', '--run', String(idle))).stdout);
    expect(headings(empty)).toEqual([`Run ${idle}`]);
    expect(named(empty, 'p').map(textOf)).toContain('The run had no session.');
    expect(named(empty, 'table', 'ul', 'dl', 'svg')).toEqual([]);
    const page = parsed((await project.within('report', '--html')).stdout);
    expect(headings(page)).toEqual(['Run 1', 'Tasks', 'Dependencies']);
    expect(named(page, 'p').map(textOf)).toContain('None of its tasks needs you.');
  });

  it('the HTML report can be written to a file, and --json is refused with it', async () => {
    const project = await workedProject('Build it');
    await work(project, 'aaaaaaaa-1', [done]);
    await stopRun(project.queue, project.run_id, 'finished');
    for (const [file, ...form] of [['report.html', '--html'], ['report.md']]) {
      const path = join(project.root, file ?? '');
      expect(await project.within('report', ...form, '--output', path)).toEqual({
        code: 0,
        stdout: `${path}\n`,
        stderr: '',
      });
      const [written, printed] = [
        readFileSync(path, 'utf8'),
        (await project.within('report', ...form)).stdout,
      ];
      expect(written.replace(/at [\d-]+ [\d:]+ [+-][\d:]+/, '')).toBe(
        printed.replace(/at [\d-]+ [\d:]+ [+-][\d:]+/, ''),
      );
    }
    for (const form of [['--html'], ['--output', 'a']])
      expect(await project.within('report', ...form, '--json')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining("cannot be used with option '--json'"),
      });
  });

  it('the HTML report of a real run has its graph, and no path of the machine', async () => {
    const { project } = await scripted(
      {
        1: [[shell('echo built > built.txt; touch begun.txt'), say()]],
        2: [[shell('rm built.txt'), say('Tidied.')]],
      },
      `max_attempts: 1
gates: [{ name: test, command: "test ! -e begun.txt || test -e built.txt || { echo built.txt is missing; exit 3; }" }]
`,
    );
    await project.json('add', 'Build <b>it</b>');
    await project.json('add', 'Tidy up', '--depends-on', '1');
    expect(await project.within('run')).toMatchObject({ code: 10 });
    const { stdout } = await project.within('report', '--html');
    const page = parsed(stdout);
    expect(named(page, 'li').map(textOf)[0]).toBe(
      '#2 Tidy up failed at gate test: built.txt is missing · ralph show 2 ralph retry 2',
    );
    expect(rows(page).map((cells) => cells.slice(1, 3))).toEqual([
      ['task', 'outcome'],
      ['Build <b>it</b>', '✓ done'],
      ['Tidy up', '✗ gate failed, now failed'],
    ]);
    const [figure] = named(page, 'figure');
    const titles = figure === undefined ? [] : named(figure, 'title').map(textOf);
    expect(titles).toEqual([
      'Dependencies of 2 tasks; the critical path is 1 long',
      '#2 waits for #1',
      '#1 Build <b>it</b> (done)',
      '#2 Tidy up (failed, on the critical path)',
    ]);
    for (const place of [project.root, project.home]) expect(stdout).not.toContain(place);
  });
});

const NOTHING_SPENT = { duration_ms: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 };

/** A run of that many tasks, each waiting for the one before it, with this text wherever somebody else writes one. */
function reportOf(count: number, text: string): Report {
  const of = { task_id: 1, session_id: 'aaaaaaaa-1' };
  return {
    run: {
      id: 1,
      kind: 'supervisor',
      pid: 1,
      process_started: null,
      started: 0,
      ended: 1,
      stop_reason: text,
    },
    tasks: Array.from({ length: count }, (_, index) => ({
      ...NOTHING_SPENT,
      id: index + 1,
      title: text,
      status: STATUSES[index % STATUSES.length] ?? 'done',
      outcome: text,
      sessions: 1,
      tries: 1,
      gates: { passed: 0, total: 0 },
      commit: null,
    })),
    flaky_gates: [],
    failed_gates: [1, 2, 3, 4, 5, 6, 7, 8].map((task_id) => ({
      ...of,
      task_id,
      name: text,
      command: text,
      required: true,
      exit_code: 1,
      line: text,
      log: text,
    })),
    questions: [
      { id: 1, task_id: 1, question: text, answer: text, dismissed: null, blocking: true },
      { id: 2, task_id: 1, question: text, answer: null, dismissed: null, blocking: true },
    ],
    flags: [{ task_id: 1, what: text, severity: 'info', category: 'bug' }],
    learnings: [
      { id: 1, task_id: 1, feature: text, scope: 'project', category: 'gotcha', body: text, reason: text },
    ],
    suggestions: [{ task_id: 1, what: text, kind: 'split', why: text }],
    totals: { ...NOTHING_SPENT, sessions: 1, tasks: count, done: 0, gates: { passed: 0, total: 0 } },
    parallel: { peak: 0, sessions_ms: 0, wall_ms: 0, gate_runs: 0, landed: 0, conflicts: 0 },
    planning: { sessions: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 },
  };
}

const graphOf = ({ tasks }: Report, before: number = 0): { tasks: GraphTask[]; elsewhere: number[] } => ({
  tasks: Array.from({ length: tasks.length + before }, (_, index) => ({
    id: index + 1,
    title: tasks[index]?.title ?? 'Older',
    status: tasks[index]?.status ?? 'done',
    feature: null,
    discipline: null,
    estimated_turns: null,
    open_blockers: 0,
    not_before: null,
    // The older ones have the higher numbers here, and the run's own wait for one each.
    depends_on:
      index < tasks.length
        ? [index, ...(index < before ? [tasks.length + index + 1] : [])].filter((id) => id > 0)
        : [],
  })),
  elsewhere: [],
});

function pageOf(count: number, text: string, title: string = text): string {
  const report = reportOf(count, text);
  const tasks = report.tasks.map((task) => ({ ...task, title }));
  const titled = { ...report, tasks };
  return reportHtml(titled, runPicture(graphOf(titled), titled, 0), { isRunning: false, now: 0 });
}

/** All of the page that is not text. */
const skeleton = ({ name, attributes, children }: Element): unknown => [
  name,
  attributes,
  children.filter((child) => typeof child !== 'string').map(skeleton),
];

const PLAIN = 'plain';

describe('whatever an agent wrote', () => {
  const text = fc.oneof(
    fc.constantFrom(...HOSTILE_TEXTS),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(...'"\'`&<>/=;!- \t\n\r\\{}aT\ud800\u202e'),
      minLength: 1,
      maxLength: 40,
    }),
  );
  const expected = pageOf(8, PLAIN);
  const structure = JSON.stringify(skeleton(parsed(expected)));

  it('text of an agent does not change the structure of the HTML report', () => {
    fc.assert(
      fc.property(text, (given) => {
        const page = pageOf(8, given);
        expect(page.split('<')).toHaveLength(expected.split('<').length);
        expect(JSON.stringify(skeleton(parsed(page)))).toBe(structure);
        expect(page).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
      }),
      { numRuns: tries(60) },
    );
  });

  it('long text of an agent is cut in the HTML report, and never within a character', () => {
    const page = pageOf(8, '🏳'.repeat(500_000), PLAIN);
    expect(page.length).toBeLessThan(expected.length + 40_000);
    expect(textOf(parsed(page))).toContain(`🏳🏳…`);
    expect(pageOf(8, `a${'🏳'.repeat(300)}`, PLAIN)).not.toContain('\ufffd');
  });
});

describe('the page', () => {
  const page = parsed(pageOf(8, PLAIN));
  const styles = named(page, 'style').map(textOf);

  it('the HTML report fetches and runs nothing, and its policy forbids it', () => {
    const outward = everyElement(page).flatMap(({ name, attributes }) =>
      Object.keys(attributes).filter(
        (key) => /^(on|style$|src|srcset|href|action|data$)/.test(key) || name === 'script',
      ),
    );
    expect(outward).toEqual([]);
    expect(styles.join('')).not.toMatch(/url\(|@import|@font-face/);
    const head = named(page, 'head')[0];
    const order =
      head === undefined
        ? []
        : everyElement(head)
            .slice(1)
            .map(({ name, attributes }) => attributes['http-equiv'] ?? name);
    expect(order).toEqual(['meta', 'Content-Security-Policy', 'meta', 'title', 'style']);
    const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(named(page, 'meta')[1]?.attributes['content']).toBe(
      `default-src 'none'; style-src ${hashes.join(' ')}; base-uri 'none'; form-action 'none'`,
    );
  });

  it('the HTML report shares only the state classes with its graph', () => {
    const inGraph = new Set([...GRAPH_STYLE.matchAll(/\.([a-z_]+)/g)].map(([, name]) => name));
    const within = new Set(named(page, 'svg').flatMap(everyElement));
    const shared = everyElement(page)
      .filter((element) => !within.has(element))
      .flatMap(({ attributes }) => attributes['class'] ?? [])
      .filter((name) => inGraph.has(name));
    expect(new Set(shared)).toEqual(new Set(STATUSES));
  });

  it('the graph of the HTML report has a name, scrolls, and can be reached by keyboard', () => {
    const [box] = everyElement(page).filter(({ attributes }) => attributes['role'] === 'region');
    expect(box?.attributes).toEqual({
      class: 'scroll',
      role: 'region',
      'aria-label': 'Graph of the dependencies',
      tabindex: '0',
    });
    expect(box?.children.filter((child) => typeof child !== 'string').map(({ name }) => name)).toEqual([
      'svg',
    ]);
    expect(styles[0]).toMatch(/\.scroll\{[^}]*overflow:auto/);
  });
});

it('a report of sessions that worked at once compares times, and says what landing cost', () => {
  const view = { isRunning: false, now: 0, columns: 80 };
  const reportWith = (change: Partial<typeof PARALLEL>) => {
    const report = { ...reportOf(2, PLAIN), parallel: { ...PARALLEL, ...change } };
    return {
      html: reportHtml(report, runPicture(graphOf(report, 0), report, 0), view),
      markdown: reportMarkdown(report, view),
    };
  };
  const { html, markdown } = reportWith({});
  const page = parsed(html);
  expect(headings(page)).toContain('Parallel work');
  expect(named(page, 'li').map(textOf)).toEqual(
    expect.arrayContaining([
      'sessions at once: up to 3',
      'wall time: 24m10s',
      'sum of session times: 1h04m',
      'speedup: 2.6 times',
      'gate runs per landed task: 3.1',
      'conflicts: 2',
    ]),
  );
  expect(markdown).toContain(
    '## Parallel work\n\n- sessions at once: **up to 3**\n- wall time: **24m10s**\n- sum of session times: **1h04m**\n',
  );
  expect(reportWith({ wall_ms: 0, landed: 0 }).markdown).not.toMatch(/speedup|landed/);
  expect(reportWith({ peak: 1 }).markdown).not.toContain('Parallel work');
});

it('the graph of a run shows what its tasks wait for, and above 300 tasks only its own', () => {
  const drawn = (own: number, before: number): { ids: number[]; page: string } => {
    const report = reportOf(own, PLAIN);
    const picture = runPicture(graphOf(report, before), report, 0);
    return {
      ids: [...picture.tasks.keys()],
      page: reportHtml(report, picture, { isRunning: false, now: 0 }),
    };
  };
  expect(drawn(4, 2).ids).toEqual([1, 2, 3, 4, 5, 6]);
  expect(drawn(1, 0).ids).toEqual([1]);
  expect(drawn(200, 100).ids).toHaveLength(300);
  const large = drawn(200, 101);
  expect(large.ids).toHaveLength(200);
  expect(large.page).toContain('Not shown: 101 tasks of other runs that these wait for.');
});
