import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLocalOllama } from '../../../../src/domain/trust.ts';
import { fakeOllama } from '../../../support/ollama.ts';
import { initialised, type TestProject } from '../../../support/ralph.ts';

async function shop(): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features:\n  - { name: auth }\n  - { name: billing }\n',
  );
  return project;
}

describe('ralph learn', () => {
  it('ralph learn adds, shows, edits, archives, restores and removes a learning', async () => {
    const project = await shop();
    const teach = await project.within(
      'learn',
      'Amounts are in cents',
      '--feature',
      'billing',
      '--kind',
      'convention',
      '--why',
      'the bank',
    );
    expect(teach).toMatchObject({ code: 0, stdout: 'Kept as learning 1.\n' });
    expect(await project.within('learn', 'amounts are in cents.', '--feature', 'billing')).toMatchObject({
      stdout: 'Known already: learning 1, now confirmed.\n',
    });
    expect(await project.json('learn', 'list')).toMatchObject([
      {
        id: 1,
        feature: 'billing',
        category: 'convention',
        body: 'Amounts are in cents',
        reason: 'the bank',
        confirmations: 1,
      },
    ]);
    expect((await project.within('learn', 'list', '--stats')).stdout).toMatch(
      /^# +KIND +FEATURE +LEARNED +GIVEN +PASSED +LEARNING\n1 +convention +billing +2× +0 +- +Amounts are in cents\n\n1 learning\.\n$/,
    );
    expect((await project.within('learn', 'show', '1')).stdout).toMatch(
      /Why: the bank[\s\S]*said 2 times\ngiven to no session yet/,
    );
    expect(await project.json('learn', 'edit', '1', 'Amounts are in cents, as integers')).toMatchObject({
      id: 1,
    });
    await project.json('learn', 'archive', '1');
    expect((await project.within('learn', 'list')).stdout).toBe(
      'There are no learnings yet. Teach one: ralph learn "One fact that saves time" 1 more in the archive: ralph learn list --archived\n',
    );
    await project.json('learn', 'restore', '1');
    await project.json('learn', 'remove', '1');
    expect(await project.json('learn', 'list')).toEqual([]);
  });

  it.each([
    [
      ['learn', 'lists'],
      2,
      '"lists" is none of list, show, edit, approve, remove, archive, restore; did you mean "list"?',
    ],
    [['learn', 'constructor', '3'], 2, '"constructor" is none of'],
    [['learn', 'remove', '3', '4'], 2, 'ralph learn remove takes one number.'],
    [['learn', 'show'], 1, 'Give the number of a learning; ralph learn list shows them.'],
    [['learn', 'show', '9'], 1, 'There is no learning 9; ralph learn list shows all learnings.'],
    [['learn', 'A fact', '--scope', 'feature'], 2, 'Name the feature: --feature NAME.'],
    [
      ['learn', 'A fact', '--scope', 'project', '--feature', 'auth'],
      2,
      'Give --feature or --scope project, not both.',
    ],
    [
      ['learn', 'A fact', '--feature', 'nope'],
      1,
      'There is no feature "nope"; ralph feature list shows all features.',
    ],
    [['learn', ' '], 1, 'is empty'],
    [['learn', 'x '.repeat(1_001)], 1, 'say the one fact in at most 2000.'],
    [['log', '--feature', 'nope'], 1, 'There is no feature "nope"; ralph feature list shows all features.'],
    [['search', 'x', '--limit', '0'], 2, 'give a number such as 7.'],
  ])('the wrong call %j is refused with a sentence, and stores no learning', async (args, code, sentence) => {
    const project = await shop();
    const ran = await project.within(...args);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(sentence) });
    expect(ran.stderr).toMatch(/^ralph: [^\n]+\n$/);
    expect(await project.json('learn', 'list')).toEqual([]);
  });
});

describe('an address of embeddings that a project names', () => {
  it('an embedding server that a project names gets nothing before a person trusts it', async () => {
    const project = await shop();
    const fake = await fakeOllama();
    writeFileSync(join(project.root, '.ralph/config.yaml'), `knowledge: { ollama_url: "${fake.url}" }\n`);
    await project.json('learn', 'Tokens are hashed', '--feature', 'auth');
    await project.json('add', 'Rotate tokens', '--feature', 'auth');
    await project.json('prompt', '1');
    expect((await project.within('doctor')).stdout).toContain(`not used: ${fake.url} is not trusted yet`);
    expect(fake.asked).toEqual([]);
    expect(JSON.stringify(await project.json('trust', '--yes'))).toContain(
      `learnings and tasks are sent for embeddings to ${fake.url}`,
    );
    await project.json('prompt', '1');
    expect(fake.asked.flat()).toEqual(['Rotate tokens\n\n', 'discovery: Tokens are hashed']);
    expect((await project.within('doctor')).stdout).toMatch(
      /embeddings +nomic-embed-text at .*, 64 dimensions/,
    );
  });

  it('ralph doctor says how to get embeddings where Ollama has no such model', async () => {
    const project = await shop();
    const fake = await fakeOllama();
    const knowledge = { ollama_url: fake.url, embedding_model: 'other-model' };
    writeFileSync(join(project.root, '.ralph/config.yaml'), JSON.stringify({ knowledge }));
    await project.json('trust', '--yes');
    const { stdout } = await project.within('doctor');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /other-model \(.*not found.*\); Ralph ranks learnings by their words alone\. .* start Ollama there \(ollama serve\), and get the model with ollama pull other-model/,
    );
  });

  it("only Ollama's default address needs no trust", () => {
    for (const url of ['http://127.0.0.1:11434', 'http://localhost:11434/', 'http://[::1]:11434'])
      expect(isLocalOllama(url)).toBe(true);
    for (const url of [
      'http://example.com:11434',
      'http://127.0.0.1:80',
      'http://127.0.0.1:11434/other',
      'http://127.0.0.1.example.com:11434',
    ])
      expect(isLocalOllama(url)).toBe(false);
  });
});
