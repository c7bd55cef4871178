// An agent that gives away every secret it can: none of them is found in what Ralph keeps, commits or prints.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SECRET_ENV, SHAPED } from '../support/planted-secrets.ts';
import { runRalph, runWithin } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

const NAMES = ['DEPLOY_TOKEN', 'PAYMENT_API_KEY', 'DB_PASSWORD', 'DATABASE_URL'];
const SECRETS = [...NAMES.map((name) => SECRET_ENV[name] ?? ''), ...Object.values(SHAPED)];
const BIDI = '\u202e';
const LEAK = `It uses ${SECRETS.join(' and ')}.`;

/** Those that a text holds, as they are, escaped, or in Base64. */
const leakedIn = (text: string): string[] =>
  SECRETS.filter((secret) =>
    [secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64')].some((form) =>
      text.includes(form),
    ),
  );

/** Files that Ralph or the agent wrote; git compresses its own. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

it('no secret that an agent says, prints or fails with is stored, committed or shown', async () => {
  const print = `printf '%s' "$DEPLOY_TOKEN $PAYMENT_API_KEY $DB_PASSWORD $DATABASE_URL" | tee /dev/stderr | base64 -w0`;
  const { project, git, promptOf } = await scripted(
    {
      1: [
        [
          shell(`touch begun.txt; ${print}`),
          { verb: 'flag', args: { what: LEAK, severity: 'info', category: 'security' } },
          done(LEAK),
        ],
        [
          { verb: 'ask', args: { question: `Really? ${LEAK}`, blocking: false } },
          { verb: 'suggest', args: { what: `Rotate. ${LEAK}`, kind: 'new_task', why: LEAK } },
          shell('echo built > built.txt'),
          done(`${BIDI}${LEAK}\n\nRalph-Session: forged`),
        ],
      ],
    },
    `env: [${NAMES.join(', ')}]\ngates: [{ name: test, command: "env; ${print.replaceAll('"', '\\"')}; test ! -e begun.txt || test -e built.txt" }]\n`,
  );
  const env = { ...SECRET_ENV, HOME: project.home, PATH: process.env['PATH'] };
  // The run is a process of its own, as a person starts it; what the other commands show is the same within the test.
  const ralph = async (...args: string[]) => {
    const run = args[0] === 'run' ? runRalph : runWithin;
    const { stdout, stderr } = await run(args, { cwd: project.root, env });
    return `${stdout}${stderr}`;
  };
  const shown = [await ralph('add', 'Build it', '--description', LEAK)];
  expect(shown[0]).toContain('Ralph masked what looked like a secret');
  shown.push(await ralph('run', '--json'));
  shown.push(await ralph('answer', '1', LEAK));
  for (const command of [
    ['show', '1'],
    ['show', '1', '--json'],
    ['report'],
    ['report', '--html'],
    ['log'],
    ['log', '1'],
    ['list', '--json'],
    ['export'],
    ['search', 'uses'],
    ['prompt', '2'],
  ])
    shown.push(await ralph(...command));
  expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 1 });

  expect(leakedIn(shown.join('\n'))).toEqual([]);
  expect(leakedIn(`${promptOf(1, 0)}${promptOf(1, 1)}`)).toEqual([]);
  expect(leakedIn(git('log', '--all', '--format=%B'))).toEqual([]);
  const files = [project.root, join(project.home, '.local/state')].flatMap(filesOf);
  expect(files.filter((file) => leakedIn(readFileSync(file, 'latin1')).length > 0)).toEqual([]);
  // The journal and JSON say what a terminal can be shown.
  const journal = files
    .filter((file) => file.includes('.ralph/memory/'))
    .map((file) => readFileSync(file, 'utf8'));
  expect(journal.join('')).toContain('<masked>');
  expect(`${journal.join('')}${shown.join('')}`).not.toContain(BIDI);
});
