// What a model is sent of each tool. A changed file is reviewed like code: it changes what agents do.
import { describe, expect, it } from 'vitest';
import { RECIPES } from '../../src/recipes/index.ts';
import { checkArguments } from '../../src/server/check-arguments.ts';
import { describeTool } from '../../src/server/describe-tool.ts';
import { INTERACTIVE_TOOLS, TOOLS } from '../../src/tools/index.ts';

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  it('is what was reviewed', async () => {
    const text = `${JSON.stringify(describeTool(tool), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`golden/${name}.json`);
  });

  it('is described in fewer characters than any client cuts off', () => {
    expect(tool.description.length).toBeLessThan(2_000);
  });

  it('accepts its own example', () => {
    expect(() => checkArguments(tool, tool.example)).not.toThrow();
  });
});

it('costs a session less than 4,096 bytes, keys and punctuation included', () => {
  const sent = RECIPES.task_execution.tools.map((wanted) => {
    const tool = TOOLS.find(({ name }) => name === wanted);
    if (tool === undefined) throw new Error(`there is no tool ${wanted}`);
    const { name, description, inputSchema } = describeTool(tool);
    return { name, description, inputSchema };
  });
  expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThan(4_096);
});

it('costs an interactive client no more than 8,000 bytes, keys and punctuation included', () => {
  const sent = INTERACTIVE_TOOLS.map((tool) => {
    const { name, description, inputSchema } = describeTool(tool, { isLean: true });
    return { name, description, inputSchema };
  });
  expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThanOrEqual(8_000);
});

it('sends no keyword that clients of older JSON Schema take for something else', () => {
  expect(JSON.stringify(TOOLS.map((tool) => describeTool(tool)))).not.toMatch(
    /exclusiveM|"pattern"|"\$schema"/,
  );
});

it('has every tool that a recipe names', () => {
  const names = TOOLS.map(({ name }) => name);
  expect(
    Object.values(RECIPES).flatMap(({ tools }) => tools.filter((tool) => !names.includes(tool))),
  ).toEqual([]);
});
