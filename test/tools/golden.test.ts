// What a model is sent of each tool. A changed file is reviewed like code: it changes what agents do.
import { describe, expect, it } from 'vitest';
import { RECIPES } from '../../src/recipes/index.ts';
import { checkArguments } from '../../src/server/check-arguments.ts';
import { describeTool } from '../../src/server/describe-tool.ts';
import { INTERACTIVE_TOOLS, TOOLS } from '../../src/tools/index.ts';

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('the tool %s', (name, tool) => {
  it(`the schema of ${name} is the reviewed one`, async () => {
    const text = `${JSON.stringify(describeTool(tool), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`golden/${name}.json`);
  });

  it(`the description of ${name} is shorter than any client's limit`, () => {
    expect(tool.description.length).toBeLessThan(2_000);
  });

  it(`${name} accepts its own example`, () => {
    expect(() => checkArguments(tool, tool.example)).not.toThrow();
  });
});

it('the tools of a session take less than 4,096 bytes, keys and punctuation included', () => {
  const sent = RECIPES.task_execution.tools.map((wanted) => {
    const tool = TOOLS.find(({ name }) => name === wanted);
    if (tool === undefined) throw new Error(`there is no tool ${wanted}`);
    const { name, description, inputSchema } = describeTool(tool);
    return { name, description, inputSchema };
  });
  expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThan(4_096);
});

it('the tools of an interactive client take at most 8,000 bytes, keys and punctuation included', () => {
  const sent = INTERACTIVE_TOOLS.map((tool) => {
    const { name, description, inputSchema } = describeTool(tool, { isLean: true });
    return { name, description, inputSchema };
  });
  expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThanOrEqual(8_000);
});

it('no schema has a keyword that clients of older JSON Schema misread', () => {
  expect(JSON.stringify(TOOLS.map((tool) => describeTool(tool)))).not.toMatch(
    /exclusiveM|"pattern"|"\$schema"/,
  );
});

it('every tool that a recipe names exists', () => {
  const names = TOOLS.map(({ name }) => name);
  expect(
    Object.values(RECIPES).flatMap(({ tools }) => tools.filter((tool) => !names.includes(tool))),
  ).toEqual([]);
});
