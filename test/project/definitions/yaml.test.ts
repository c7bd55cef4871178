import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readDefinitions } from '../../../src/project/definitions/read-definitions.ts';
import { definitionsSchema } from '../../../src/project/definitions/schema/definitions.ts';
import { parseYaml } from '../../../src/project/definitions/yaml.ts';
import { readConfig, readRecipeOverrides } from '../../../src/project/read-config.ts';
import { tempDir } from '../../support/temp.ts';

const parse = (text: string) => parseYaml(text, 'tasks.yaml', definitionsSchema).value;

describe('definitions', () => {
  it.each([
    [
      'a mistyped key',
      'tasks:\n  - id: 1\n    titel: x\n',
      'tasks.yaml:3:5: unknown key "titel"; did you mean "title"? (and 1 more)',
    ],
    [
      'a key that is near none',
      'tasks:\n  - title: x\n    zzz: 1\n',
      /^tasks\.yaml:3:5: unknown key "zzz"; known are id, feature, /,
    ],
    [
      'a mistyped value',
      'tasks:\n  - title: x\n    priority: hihg\n',
      'tasks.yaml:3:5: "priority" is "hihg", not one of critical, high, medium, low; did you mean "high"?',
    ],
    ['a missing title', 'tasks:\n  - title: a\n  - id: 2\n', 'tasks.yaml:3:5: "title" is missing.'],
    [
      'an empty title',
      'tasks:\n  - title: ""\n',
      'tasks.yaml:2:5: "title" is empty; say in a few words what is to be done.',
    ],
    [
      'a title of 1 MB',
      `tasks:\n  - title: ${'x'.repeat(1_000_000)}\n`,
      'tasks.yaml:2:5: "title" is 1000000 characters long; at most 500 are kept.',
    ],
    ['a NUL byte', 'tasks:\n  - title: "a\\0b"\n', 'tasks.yaml:2:5: "title" contains a NUL byte; remove it.'],
    [
      'a number for text',
      'tasks:\n  - title: 42\n',
      'tasks.yaml:2:5: "title" is 42, expected text (put it in quotes).',
    ],
    [
      'text for a list',
      'tasks:\n  - title: a\n    tags: x\n',
      'tasks.yaml:3:5: "tags" is "x", expected a list.',
    ],
    [
      'a time that is none',
      'tasks:\n  - title: a\n    created: soon\n',
      'tasks.yaml:3:5: "created" is not a time such as 2026-02-05T18:30:00Z.',
    ],
    ['a name with a slash', 'features:\n  - name: ../etc\n', /^tasks\.yaml:2:5: "name" is not a name/],
    ['broken YAML', 'tasks:\n  - title: "a\n', /^tasks\.yaml:\d+:\d+: /],
    ['a key given twice', 'tasks:\n  - title: a\n    title: b\n', 'tasks.yaml:3:5: Map keys must be unique.'],
    ['a list at the top', '- title: a\n', 'tasks.yaml:1:1: the file is a list, expected a map.'],
  ])('%s is refused with file, line, column and reason', (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('a mistyped key is located in the 40th entry, after comments and long texts', () => {
    const entry = (key: string) => `  # a comment\n  - title: task\n    ${key}: |\n      many\n      lines\n`;
    const text = `tasks:\n${entry('description').repeat(39)}${entry('discription')}`;
    expect(() => parse(text)).toThrow(
      `tasks.yaml:${2 + 39 * 5 + 2}:5: unknown key "discription"; did you mean "description"?`,
    );
  });
});

it.each([
  ['tasks: [\n  { title: a }\nfeatures: []\n', '1:8: this [ is never closed; add the ] that belongs to it.'],
  ['tasks:\n  - { title: a, tags: [b, c }\n', '2:23: this [ is never closed; add the ] that belongs to it.'],
  ['tasks:\n  - { title: a\n', '2:5: this { is never closed; add the } that belongs to it.'],
  ['tasks:\n  - title: "a\n', '2:12: this " is never closed; add the " that belongs to it.'],
])('the file %j is refused where the bracket or quote was opened', (text, message) => {
  expect(() => parse(text)).toThrow(`tasks.yaml:${message}`);
});

it('an alias bomb is refused', () => {
  const levels = Array.from(
    { length: 12 },
    (_, level) => `x${level + 1}: &x${level + 1} [${`*x${level},`.repeat(9)}]`,
  );
  expect(() => parse(`x0: &x0 [lol]\n${levels.join('\n')}\n`)).toThrow(
    'tasks.yaml uses too many YAML aliases; write the values out.',
  );
});

it('a value that contains itself is refused with its place', () => {
  expect(() => parse('disciplines:\n  - name: a\n    crops: &all [x, { y: *all }]\n')).toThrow(
    'tasks.yaml:3:26: the alias *all stands for a value that contains it; write the value out.',
  );
});

it('the fields of older files are read, and empty ones count as absent', () => {
  const { tasks, disciplines, features } = parse(`
disciplines:
  - name: frontend
    display_name: Frontend
    acronym: FRNT
    icon: Monitor
    color: "#3b82f6"
    skills: [react]
    mcp_servers:
      - { name: shadcn-ui, command: npx, args: ["-y", "x"] }
features:
  - name: authentication
    created: '2026-02-05'
    priority: high
tasks:
  - id: 1
    title: Build it
    hints:
    comments:
      - author: agent
        agent_task_id: 1
        body: "Failed"
        created: '2026-02-05T18:30:00Z'
`);
  expect(disciplines?.[0]?.mcp_servers?.[0]?.command).toBe('npx');
  expect(features?.[0]?.created).toBe(Date.UTC(2026, 1, 5));
  expect(tasks?.[0]?.comments?.[0]?.created).toBe(Date.UTC(2026, 1, 5, 18, 30));
});

describe('files', () => {
  it('a path that is no file, a text that is not UTF-8, and a name defined twice are refused', async () => {
    const root = tempDir();
    mkdirSync(join(root, 'folder.yaml'));
    writeFileSync(join(root, 'latin1.yaml'), Buffer.from([0x74, 0x3a, 0x20, 0xe9]));
    writeFileSync(join(root, 'one.yaml'), 'features: [{ name: auth }]');
    writeFileSync(join(root, 'two.yaml'), '\nfeatures: [{ name: auth }]');
    execFileSync('mkfifo', [join(root, 'pipe.yaml')]);
    const read = (...files: string[]) => readDefinitions(root, files);
    await expect(read('folder.yaml')).rejects.toThrow('folder.yaml is not a file');
    await expect(read('pipe.yaml')).rejects.toThrow('pipe.yaml is not a file');
    await expect(read('latin1.yaml')).rejects.toThrow('latin1.yaml is not UTF-8 text');
    await expect(read('one.yaml', 'two.yaml')).rejects.toThrow(
      'two.yaml:2: the feature "auth" is defined at one.yaml:1 already',
    );
    expect(await read('absent.yaml')).toMatchObject({ tasks: [], features: [] });
  });
});

describe('config.yaml', () => {
  const config = async (text: string) => {
    const root = tempDir();
    mkdirSync(join(root, '.ralph'));
    writeFileSync(join(root, '.ralph/config.yaml'), text);
    return readConfig(root);
  };

  it('every key of config.yaml has a default', async () => {
    expect(await readConfig(tempDir())).toMatchObject({
      agent: 'claude',
      model: 'haiku',
      ladder: ['haiku', 'sonnet', 'opus'],
      max_attempts: 3,
      jobs: 1,
      in_place: false,
      slots: {
        setup: null,
        setup_seconds: 1800,
        stamp: [],
        env: {},
        gates_at_once: null,
        keep: [],
        folder: null,
        clean: false,
      },
      land: { branch: null, update_checkout: true, speculate: false, regenerate: [] },
      commit: 'task',
      gates: [],
      limits: { session_seconds: 3600, stuck: 3 },
      knowledge: { delivery: 'auto', top_k: 5 },
      review: { model: 'opus', when: 'never' },
    });
  });

  it('keys missing in a section of config.yaml get their defaults', async () => {
    const read = await config('limits: { max_turns: 9 }\ngates: [{ name: test, command: [npm, test] }]');
    expect(read.limits).toMatchObject({ max_turns: 9, idle_seconds: 600 });
    expect(read.gates).toEqual([
      {
        name: 'test',
        command: ['npm', 'test'],
        required: true,
        timeout_seconds: 600,
        max_output_mb: 16,
        expect: null,
        flaky: 'retry',
        env: [],
      },
    ]);
  });

  it('config.yaml says how slots are prepared and how work lands', async () => {
    const read = await config(
      `jobs: 4
slots: { setup: npm ci, stamp: [package-lock.json], env: { PGDATABASE: "shop_{slot}" } }
land: { branch: main, regenerate: [{ files: [package-lock.json], command: npm install }] }
gates: [{ name: test, command: npm test, flaky: fail }]`,
    );
    expect(read).toMatchObject({
      jobs: 4,
      slots: { setup: 'npm ci', setup_seconds: 1800, env: { PGDATABASE: 'shop_{slot}' } },
      land: { branch: 'main', regenerate: [{ files: ['package-lock.json'], command: 'npm install' }] },
      gates: [{ flaky: 'fail' }],
    });
  });

  it.each([
    ['limts: {}', 'config.yaml:1:1: unknown key "limts"; did you mean "limits"?'],
    ['limits: { max_turn: 3 }', 'config.yaml:1:11: unknown key "max_turn"; did you mean "max_turns"?'],
    [
      'agent: mine',
      'config.yaml:1:1: "agent" is "mine", not one of the agents: claude, codex, gemini, opencode, qwen, copilot.',
    ],
    [
      'gates: [{ name: a, command: x }, { name: a, command: y }]',
      'config.yaml:1:36: "name" is used by an earlier gate.',
    ],
    ['gates: [{ name: a, command: [] }]', '"command" is empty.'],
    ['gates: [{ name: a, command: 3 }]', '"command" is neither a shell line nor a list of arguments.'],
    ['jobs: 0', 'config.yaml:1:1: "jobs" is 0, too small.'],
    ['jobs: 65', 'config.yaml:1:1: "jobs" is 65, too large.'],
    ['slots: { env: { "A B": x } }', '"A B" is not the name of a variable.'],
    ['land: { regenerate: [{ files: [], command: x }] }', '"files" is empty.'],
    ['max_attempts: 0', 'config.yaml:1:1: "max_attempts" is 0, too small.'],
    ['knowledge: { ollama_url: nowhere }', '"ollama_url" is "nowhere", not a URL.'],
  ])('config.yaml with `%s` is refused with the reason', async (text, message) => {
    await expect(config(text)).rejects.toThrow(message);
  });
});

it('an override of an unknown recipe is refused with the nearest name, and so is a variant that cannot be compared', async () => {
  const root = tempDir();
  mkdirSync(join(root, '.ralph/recipes'), { recursive: true });
  writeFileSync(
    join(root, '.ralph/recipes/enrichment.yaml'),
    'off: [state_files]\ntext: { notes: Be brief. }',
  );
  expect(await readRecipeOverrides(root)).toEqual(
    new Map([['enrichment', { sections: null, off: ['state_files'], text: { notes: 'Be brief.' } }]]),
  );
  const variant = join(root, '.ralph/recipes/task_execution.short.yaml');
  writeFileSync(variant, 'off: [feature_state]');
  expect([...(await readRecipeOverrides(root)).keys()]).toEqual(['enrichment', 'task_execution.short']);
  for (const [name, sentence] of [
    ['plan.short', 'only task_execution can have variants, because gates judge its sessions.'],
    ['task_execution.base', '"base" cannot be the name of a variant'],
    ['task_execution.a b', '"a b" cannot be the name of a variant'],
  ] as const) {
    const file = join(root, `.ralph/recipes/${name}.yaml`);
    writeFileSync(file, '');
    await expect(readRecipeOverrides(root)).rejects.toThrow(sentence);
    rmSync(file);
  }
  writeFileSync(join(root, '.ralph/recipes/task_executoin.yaml'), '');
  await expect(readRecipeOverrides(root)).rejects.toThrow(
    'there is no recipe "task_executoin"; did you mean "task_execution"?',
  );
});

describe('a map with very many keys', () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => `key${index}: 1`);
  const never = z.any().transform(() => {
    throw new Error('the schema was asked');
  });

  it.each([
    [
      'at the top',
      keys.join('\n'),
      /^x\.yaml:1001:\d+: a map has more than 1000 keys; take some of them out\.$/,
    ],
    ['in a list', `tasks:\n  - ${keys.join('\n    ')}`, /^x\.yaml:1002:\d+: a map has more than 1000 keys/],
    ['in braces', `tasks: [{${keys.join(',\n')}}]`, /^x\.yaml:1001:\d+: a map has more than 1000 keys/],
  ])('a map %s is refused at its first key over the limit, before the rest is read', (_, text, refusal) => {
    expect(() => parseYaml(`${text}\n"never read`, 'x.yaml', never)).toThrow(refusal);
  });

  it('a long list and many small maps are not taken for a map with too many keys', () => {
    const list = Array.from({ length: 2_000 }, (_, index) => `  - { title: t${index} }`).join('\n');
    expect(parseYaml(`tasks:\n${list}`, 'x.yaml', z.any()).value.tasks).toHaveLength(2_000);
    expect(parseYaml(`a: [${'1, '.repeat(2_000)}]`, 'x.yaml', z.any()).value.a).toHaveLength(2_000);
  });
});
