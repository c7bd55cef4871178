// What a newcomer types first, and what they are told.
import { expect, it } from 'vitest';
import { allCommands } from '../../src/cli/index.ts';
import type { Signal } from '../../src/domain/sessions/signal.ts';
import { work } from '../support/finished-run.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { initialised, runRalph, runWithin, type TestProject, testProject } from '../support/ralph.ts';

it('ralph alone shows a short help with init first, and ends with 0', async () => {
  const { code, stdout, stderr } = await testProject().within();
  expect([code, stderr]).toEqual([0, '']);
  const named = [...stdout.matchAll(/^ {2}ralph (\w+)/gm)].map(([, name]) => name);
  const commands = (await allCommands()).map(({ name }) => name);
  expect(named[0]).toBe('init');
  expect(named.filter((name) => !commands.includes(name ?? ''))).toEqual([]);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

it('ralph add takes the words of a title with and without quotes', async () => {
  const { json } = await initialised();
  expect(await json('add', 'Several', 'words', '--priority', 'high')).toMatchObject({
    title: 'Several words',
    priority: 'high',
  });
  expect(await json('add', 'Several words')).toMatchObject({ title: 'Several words' });
});

it("texts show times in the person's time zone, and --json shows the same moment everywhere", async () => {
  const project = await initialised();
  await project.json('add', 'Build it');
  const created = async (zone: string) => {
    const env = { HOME: project.home, PATH: process.env['PATH'], TZ: zone };
    const options = { cwd: project.root, env };
    const { stdout } = await runRalph(['show', '1'], options);
    const json: unknown = JSON.parse((await runRalph(['show', '1', '--json'], options)).stdout);
    return { text: /^created +(\S+ \S+)/m.exec(stdout)?.[1] ?? '', json: json as { created: number } };
  };
  const [west, east] = [await created('Etc/GMT+12'), await created('Etc/GMT-14')];
  expect(Date.parse(`${east.text}Z`) - Date.parse(`${west.text}Z`)).toBe(26 * 3_600_000);
  expect(east.json.created).toBe(west.json.created);
  expect(east.text).not.toContain('UTC');
});

const asked: Signal = {
  verb: 'ask',
  question: 'REST or gRPC?',
  blocking: true,
  options: ['REST', 'gRPC'],
  preferred: 'gRPC',
};

async function answering({ root, home }: TestProject, said: string | null) {
  const questions: string[] = [];
  const ask = async (question: string): Promise<string> => {
    questions.push(question);
    return said ?? '';
  };
  const options = {
    cwd: root,
    env: { HOME: home, PATH: process.env['PATH'] },
    ...(said !== null && { ask }),
  };
  return { ...(await runWithin(['answer', '1'], options)), questions };
}

it('list, status and show call a state by one word, and --json keeps the stored value', async () => {
  const project = await workedProject('Asks something', 'Is running');
  await work(project, 'aaaaaaaa-1', [asked, { verb: 'stuck', reason: 'It asks.' }]);
  await project.begin('bbbbbbbb-1');
  await project.json('add', 'Waits', '--depends-on', '2');
  await project.json('add', 'Is ready');
  const said = async (...args: string[]) => (await project.within(...args)).stdout;
  const everywhere = [await said('list'), await said('status')];
  for (const [id, word, stored] of [
    [1, '? asking', 'needs_input'],
    [2, '▶ running', 'in_progress'],
    [3, '○ waiting', 'pending'],
    [4, '● ready', 'pending'],
  ] as const) {
    const [, name = ''] = word.split(' ');
    expect(await said('show', `${id}`)).toContain(`\n${word}\n`);
    expect(everywhere[0]).toContain(word);
    for (const text of everywhere) {
      expect(text).toContain(`1 ${name}`);
      expect(text).not.toContain(stored);
    }
    for (const asked of [name, stored])
      expect(await project.json('list', '--status', asked)).toContainEqual(
        expect.objectContaining({ id, status: stored }),
      );
  }
});

it('ralph answer without a text asks on a terminal, and takes an option by its number', async () => {
  const project = await workedProject('Build it');
  await work(project, 'aaaaaaaa-1', [asked, { verb: 'stuck', reason: 'It asks.' }]);
  expect(await answering(project, null)).toMatchObject({
    code: 2,
    stderr: 'ralph: Give the answer: ralph answer 1 "..."\n',
  });
  expect(await answering(project, ' ')).toMatchObject({ code: 1, stderr: 'ralph: Nothing was answered.\n' });
  expect(await answering(project, '2')).toMatchObject({
    code: 0,
    stdout: 'Answered Q1; #1 Build it is queued.\n',
    questions: [
      'Q1 of #1: REST or gRPC?\n  1  REST\n  2  gRPC (preferred)\nYour answer, in words or by its number: ',
    ],
  });
  expect(await project.json('show', '1')).toMatchObject({ questions: [{ answer: 'gRPC' }] });
  expect(await answering(project, 'REST')).toMatchObject({ code: 1, questions: [] });
});
