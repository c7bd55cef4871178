// One golden file a recipe, from one realistic project. Review a change of them like prose.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GatherInput } from '../../src/context/gather.ts';
import type { PromptContext } from '../../src/domain/context.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { render } from '../../src/recipes/render.ts';
import { webshop } from '../support/webshop.ts';

const TEXT = `diff --git a/src/auth/rate-limit.ts b/src/auth/rate-limit.ts
new file mode 100644
--- /dev/null
+++ b/src/auth/rate-limit.ts
@@ -0,0 +1 @@
+export const MOST_FAILURES = 5;
`;
const CHANGES: PromptContext['changes'] = [
  { path: 'docs/limits.png', kind: 'added', diff: { kind: 'withheld', reason: 'binary' } },
  { path: 'src/auth/rate-limit.ts', kind: 'added', diff: { kind: 'text', text: TEXT } },
];

const BRAINDUMP = `so people keep asking where their lamp is. we need tracking, at least a link
and the CSV export should have the VAT in a column of its own, accounting complained
oh and maybe dark mode? not sure`;

type Case = {
  recipe: keyof typeof RECIPES;
  input: GatherInput;
  change?: Partial<PromptContext>;
};

const CASES: Case[] = [
  { recipe: 'task_execution', input: { task_id: 4, isLaunched: true }, change: { changes: CHANGES } },
  { recipe: 'braindump', input: { input: BRAINDUMP } },
  { recipe: 'yap', input: { input: 'the login mail still says "Dear customer"' } },
  { recipe: 'ramble', input: { input: 'Should we have accounts at all?' } },
  { recipe: 'discuss', input: { input: 'Order numbers: a sequence, or random?' } },
  { recipe: 'opus_review', input: { task_id: 4 }, change: { changes: CHANGES } },
  { recipe: 'enrichment', input: { drafts: [10, 11] } },
  { recipe: 'plan', input: {} },
];

describe('each recipe reads as it was reviewed', () => {
  it.each(CASES)('the prompt of $recipe equals its golden file', async ({ recipe, input, change }) => {
    const { contextOf } = await webshop();
    const { system, prompt } = render(RECIPES[recipe], { ...(await contextOf(input)), ...change });
    await expect(system === '' ? prompt : `${system}\n---\n\n${prompt}`).toMatchFileSnapshot(
      `golden/${recipe}.md`,
    );
  });

  it('the prompt of task_execution for an agent that speaks sigils equals its golden file', async () => {
    const { contextOf } = await webshop();
    const { system, prompt } = render(RECIPES.task_execution, {
      ...(await contextOf({ task_id: 7, isLaunched: true })),
      protocol: 'sigils',
    });
    await expect(`${system}\n---\n\n${prompt}`).toMatchFileSnapshot('golden/task_execution.sigils.md');
  });
});

describe('the question table: what an agent without memory would have to find out', () => {
  const answers: [string, string, string][] = [
    ['Who am I?', 'discipline_persona', 'You are a senior backend engineer.'],
    ['What coding standards?', 'discipline_persona', 'Validate input where it enters.'],
    ['What skills?', 'discipline_persona', 'SQL and migrations'],
    ['What tools do I have?', 'discipline_persona', '`postgres`'],
    ['What domain am I in?', 'feature_context', 'Customers sign in with email and password'],
    ['How is it built?', 'feature_context', 'no globals'],
    ['What is not mine to touch?', 'feature_context', 'Payment data is never touched here.'],
    ['What is its specification?', 'feature_context', '`specs/sign-in.md`'],
    ['What was learned before?', 'feature_context', 'cleaned by a nightly job'],
    ['What docs are relevant?', 'feature_files', 'A stolen copy of the database.'],
    ['What code matters to the feature?', 'feature_files', 'accountByEmail'],
    ['What code matters to the task?', 'task_files', 'countSince'],
    ['What else is going on in the feature?', 'feature_state', '#5 Sign out everywhere (pending)'],
    ['What happened so far?', 'state_files', 'Password hashing with scrypt'],
    ['What exactly do I build?', 'task_details', 'further attempts are answered with 429'],
    ['What is it part of?', 'task_details', 'Make sign-in safe against guessing'],
    ['What counts as done?', 'task_details', '- [ ] Two processes share the counter'],
    ['What should I produce?', 'task_details', 'src/auth/rate-limit.ts'],
    ['How should I approach it?', 'task_details', 'Follow src/limit.ts'],
    ['In what steps?', 'task_details', 'Table login_failures'],
    ['Who created this task?', 'task_details', 'A person wrote this task.'],
    ['What came before?', 'dependency_context', 'verify() compares in constant time'],
    ['What went wrong last time?', 'previous_attempts', '2 failed, first retry.spec.ts:41'],
    ['What remained?', 'previous_attempts', 'Everything that depends on what is counted.'],
    ['What was answered?', 'previous_attempts', '**By account; addresses are shared.**'],
    ['What was flagged?', 'previous_attempts', 'Two migrations have the same number.'],
    ['What do I do now?', 'task_exec_instructions', 'Call `done` with a summary.'],
    ['What will judge my work?', 'task_exec_instructions', '- test: `npm test`'],
    ['Which specifications are there?', 'system_rules', '`specs`'],
    ['May I trust that code exists?', 'system_rules', 'Do not assume that code exists'],
    ['Where may I work?', 'system_rules', 'Work inside the project directory'],
    ['What of AGENTS.md?', 'system_rules', '`AGENTS.md` or `CLAUDE.md`'],
    ['How do I report?', 'protocol', '`partial(summary, remaining)`'],
    ['How do I get a stronger model?', 'protocol', '<next-model>haiku|sonnet|opus</next-model>'],
  ];

  /** Made by the first question for all of them: to ask changes nothing. */
  let asked: Promise<PromptContext> | null = null;

  it.each(answers)('the question %s is answered by %s', async (_, name, text) => {
    asked ??= webshop().then(({ contextOf }) => contextOf({ task_id: 4, isLaunched: true }));
    const { system, sections } = RECIPES.task_execution;
    const section = [...system, ...sections].find((one) => one.name === name);
    expect(section?.render(await asked)).toContain(text);
  });

  it('a prompt contains no secrets, and gives the reason for every file that it does not show', async () => {
    const { contextOf } = await webshop();
    const { prompt } = render(RECIPES.task_execution, await contextOf({ task_id: 4 }));
    expect(prompt).toContain('- .env: not shown (may hold secrets).');
    expect(prompt).toContain('- src/no-such-file.ts: there is no such file.');
    expect(prompt).not.toContain('never-in-a-prompt');
  });

  it('a prompt does not mention an unrelated feature', async () => {
    const { contextOf } = await webshop();
    const { prompt } = render(RECIPES.task_execution, await contextOf({ task_id: 4 }));
    expect(prompt).not.toMatch(/orders|basket|CSV/i);
  });

  it('the rules list every folder of specifications that exists', async () => {
    const { root, contextOf } = await webshop();
    mkdirSync(join(root, 'specs/infra'));
    writeFileSync(join(root, '.ralph/config.yaml'), 'specs: [specs, specs/infra, specs/gone]\n');
    const { system } = render(RECIPES.task_execution, await contextOf({ task_id: 4 }));
    expect(system).toContain('Specifications are in `specs`, `specs/infra`. ');
  });

  it('a prompt quotes the notes, the progress and the learnings that a project keeps in files', async () => {
    const { root, contextOf } = await webshop();
    writeFileSync(join(root, '.ralph/learnings.txt'), 'Mails go through the queue.\n');
    const { prompt } = render(RECIPES.task_execution, await contextOf({ task_id: 4 }));
    expect(prompt).toContain('## Project notes\n\nMoney is in cents');
    expect(prompt).toContain('## Progress so far\n\n```\n#1 Password hashing');
    expect(prompt).toContain('## Notes from earlier sessions\n\n```\nMails go through the queue.\n```');
  });

  it('a prompt has the order of the recipe, with the instructions last', async () => {
    const { contextOf } = await webshop();
    const names = render(RECIPES.task_execution, await contextOf({ task_id: 4 })).sections.map(
      ({ name }) => name,
    );
    expect(names).toEqual([
      'system_rules',
      'protocol',
      'project_context',
      'discipline_persona',
      'feature_context',
      'feature_files',
      'feature_state',
      'state_files',
      'previous_attempts',
      'dependency_context',
      'task_details',
      'task_files',
      'task_exec_instructions',
    ]);
  });
});

it('a prompt names each gate with its exact command, even an argument list, several lines, or an optional one', async () => {
  const { contextOf } = await webshop();
  const gates = [
    { name: 'lint', command: ['npx', 'eslint', 'src/**/*.ts'], required: false, expect: null },
    { name: 'test', command: 'echo `date`', required: true, expect: '12 passed' },
    { name: 'types', command: 'tsc -p src\ntsc -p web\n', required: true, expect: null },
  ];
  const { prompt } = render(RECIPES.task_execution, { ...(await contextOf({ task_id: 4 })), gates });
  expect(prompt).toContain(`
   - lint (may fail): \`npx eslint 'src/**/*.ts'\`
   - test (must print \`12 passed\`): \`\` echo \`date\` \`\`
   - types:
   \`\`\`sh
   tsc -p src
   tsc -p web
   \`\`\`
4. `);
});

it('a prompt names no gate if none is configured', async () => {
  const { contextOf } = await webshop();
  const { prompt } = render(RECIPES.task_execution, { ...(await contextOf({ task_id: 4 })), gates: [] });
  expect(prompt).toContain('3. Run what the project runs to check itself, and repair what fails.\n4. ');
});

it('a prompt names no MCP server and offers no model where Ralph launches no session', async () => {
  const { contextOf } = await webshop();
  const { system, prompt } = render(RECIPES.task_execution, await contextOf({ task_id: 4 }));
  expect(system).not.toContain('next-model');
  expect(prompt).not.toContain('postgres');
});

it('a prompt says of a specification outside the project only that it is not shown', async () => {
  const { contextOf, queue } = await webshop();
  for (const [spec_file, text] of [
    [
      '../../etc/passwd',
      'Its specification is `../../etc/passwd`, which cannot be read: outside the project.',
    ],
    ['specs/gone.md', 'Its specification is `specs/gone.md`, which cannot be read: not there.'],
  ] as const) {
    await queue.store.write((db) =>
      db.updateTable('features').set({ spec_file }).where('name', '=', 'auth').execute(),
    );
    const { prompt } = render(RECIPES.task_execution, await contextOf({ task_id: 4 }));
    expect(prompt).toContain(text);
  }
});

it.each(['plan', 'braindump', 'enrichment'] as const)(
  'the instructions of %s ask for a discipline for each task, and list the disciplines',
  async (recipe) => {
    const { contextOf } = await webshop();
    const context = await contextOf({ drafts: [10, 11] });
    const instructions = RECIPES[recipe].sections.at(-1);
    expect(instructions?.render(context)).toMatch(/discipline.*: one of `backend`, `docs`, `frontend`/);
    expect(instructions?.render({ ...context, disciplines: [] })).not.toContain('discipline');
  },
);
