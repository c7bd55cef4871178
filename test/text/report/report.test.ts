import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/domain/sessions/session.ts';
import { recordPlanning } from '../../../src/queue/planning/planning.ts';
import { startRun, stopRun } from '../../../src/queue/sessions/runs.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { done, everything, work } from '../../support/finished-run.ts';
import { workedProject } from '../../support/project-with-sessions.ts';
import { EXITED, effectsWith, gateResult, runSession } from '../../support/queue.ts';

describe('ralph report', () => {
  it('ralph report has every result of a run', async () => {
    const project = await everything();
    const running = await project.within('report');
    expect(running.stdout).toMatch(
      /^# Run 1\n\n\d+-\d+-\d+ \d+:\d+ [+-]\d+:\d+, [\d.]+s so far\.\nIt is still running\.\n/,
    );
    await stopRun(project.queue, project.run_id, 'waiting');
    const { stdout } = await project.within('report');
    expect(
      stdout.replace(/[\d-]+ [\d:]+ [+-][\d:]+, [\d.]+s/, 'WHEN').replace(/ \d+\.\ds /g, ' 1s '),
    ).toBe(`# Run 1

WHEN.
Stopped: no task was ready, and the rest needed a person.

| # | task | outcome | tries | time | cost | tokens | gates | commit |
|--:|---|---|--:|--:|--:|--:|--:|---|
| 1 | Build it | done | 2 | 1s | $0.40 | 25k | 1/1 | a1b2c3d |
| 2 | Ask about it | partial, now asking | 1 | 1s | $0.20 | 12k | - | - |
| 3 | Go on | running | 1 | 1s | - | 0 | - | - |

## Gates that failed

- #1 **test** (exit code 1): retry.spec.ts:41 expected 2, got 3 · \`ralph log aaaaaaaa\`

## Questions

- Q1 of #2: Which zone? **Answer:** UTC
- Q2 of #2: REST or gRPC? **Open, its task waits:** \`ralph answer 2 "..."\`

## Flags

- **blocking** security, #1: A key in the log
- **info** incomplete prior, #1: Names differ

## Learned

- gotcha, #1: Filter before counting. (why: It failed)

## Suggested

- new task, #1: Share escape() (why: Two pages need it.)

## Totals

- 4 sessions on 3 tasks, 1 done, 1s of work
- $0.60, 36k tokens in, 1.0k out
- gates: 1 of 2 passed
`);
    expect(await project.json('report')).toMatchObject({
      run: { id: 1, stop_reason: 'waiting' },
      running: false,
      tasks: [
        { id: 1, sessions: 2, commit: 'a1b2c3d' },
        { id: 2, status: 'needs_input' },
        { id: 3, outcome: null },
      ],
      failed_gates: [
        { task_id: 1, session_id: 'aaaaaaaa-1', name: 'test', line: 'retry.spec.ts:41 expected 2, got 3' },
      ],
      questions: [
        { id: 1, answer: 'UTC' },
        { id: 2, answer: null, blocking: true },
      ],
      flags: [{ severity: 'blocking' }, { severity: 'info', what: 'Names differ' }],
      learnings: [{ body: 'Filter before counting.', reason: 'It failed' }],
      suggestions: [{ kind: 'new_task', task_id: 1 }],
      totals: { sessions: 4, tasks: 3, done: 1, input_tokens: 36_000, gates: { passed: 1, total: 2 } },
    });
  });

  it('ralph report shows the latest run with a session, or the chosen one', async () => {
    const project = await workedProject('Build it', 'Build that');
    expect(await project.within('report')).toMatchObject({
      code: 1,
      stderr: 'ralph: No run has had a session yet; ralph run works on the queue.\n',
    });
    await work(project, 'aaaaaaaa-1', [done]);
    const process_started = null;
    const idle = await startRun(project.queue, { pid: 1, process_started });
    await stopRun(project.queue, idle, 'finished');
    const client = await startRun(project.queue, { pid: 1, process_started }, 'interactive');
    await claim(project.queue, { run_id: client, session_id: 'client-1' });
    expect((await project.within('report')).stdout).toContain('# Run 1\n');
    expect((await project.within('report', '--run', String(client))).stdout).toContain('in an MCP client');
    expect((await project.within('report', '--run', String(idle))).stdout).toContain(
      'The run had no session.',
    );
    expect(await project.within('report', '--run', '9')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no run 9'),
    });
  });

  it('ralph report counts what planning cost since the run before', async () => {
    const project = await workedProject('Build it', 'Build that');
    const { queue } = project;
    const start = Date.now() - 10_000;
    const at = (seconds: number) => ({ ...queue, now: () => start + seconds * 1_000 });
    const spend = (cost_usd: number, seconds: number) =>
      recordPlanning(at(seconds), {
        session_id: crypto.randomUUID(),
        recipe: 'plan',
        model: 'opus',
        end: EXITED,
        usage: { ...NO_USAGE, cost_usd },
        proposed: { features: 0, added: 0, changed: 0 },
      });
    await spend(0.5, 1);
    await spend(0.25, 2);
    await work(project, 'aaaaaaaa-1', [done]);
    await stopRun(at(3), project.run_id, 'finished');
    await spend(9, 4);
    const { stdout } = await project.within('report');
    expect(stdout).toContain('- planning before it: 2 sessions, $0.75; with the run $0.95\n');
    expect((await project.within('report', '--html')).stdout).toContain(
      '<dt>cost of planning</dt><dd>$0.75</dd>',
    );
    const next = await startRun(queue, { pid: 1, process_started: null });
    await runSession(queue, [done], { run_id: next });
    expect(await project.json('report')).toMatchObject({
      run: { id: next },
      planning: { sessions: 1, cost_usd: 9 },
    });
  });

  it('ralph report keeps what agents wrote as text, in one line', async () => {
    const project = await workedProject('a | b `c` <img src=x onerror=y> \\| **d**');
    const evil =
      'x | y\n\n# Owned\n<script>z</script> `w` [l](http://e) ![i](e) \\| &lt; \x1b[2J \u202e ~~s~~ __u__';
    const short =
      'x \\| y \\# Owned &lt;script&gt;z&lt;/script&gt; \\`w\\` \\[l\\](http://e) \\!\\[i\\](e) \\\\\\| &amp;lt; ␛\\[2J &lt;U+202E&gt; \\~\\~s\\~\\~ \\_\\_u\\_\\_';
    await work(
      project,
      'aaaaaaaa-1',
      [done],
      effectsWith({ ...gateResult(false), name: 'te|st', tail: `error ${evil.replaceAll('\n', ' ')}` }),
    );
    await work(project, 'bbbbbbbb-1', [
      { verb: 'flag', what: evil, severity: 'warning', category: 'bug' },
      { verb: 'learned', text: evil, kind: 'gotcha', scope: 'project' },
      { verb: 'suggest', what: evil, kind: 'split', why: evil },
      { verb: 'ask', question: evil, blocking: false },
      done,
    ]);
    const { stdout } = await project.within('report');
    expect(stdout).toContain(
      '| 1 | a \\| b \\`c\\` &lt;img src=x onerror=y&gt; \\\\\\| \\*\\*d\\*\\* | done |',
    );
    expect(stdout).toContain('**te\\|st**');
    expect(stdout.split(short)).toHaveLength(1 + 5);
    // What a gate's tool wrote for a terminal is left out of its output.
    expect(stdout).toContain(`error ${short.replace('␛\\[2J ', '')}`);
    expect(stdout).not.toMatch(/^# Owned|<script|\u202e|\x1b/m);
    expect(await project.json('report')).toMatchObject({ flags: [{ what: evil }] });
  });
});
