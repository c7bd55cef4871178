// A scripted agent: a real MCP client in a process of its own. It does and says what the file of its task's number says.
// argv: a folder with `N.json` a task, a list of attempts; each a list of steps: a verb with its fields, or a shell line.
// What its reviewer does and says is in `N.review.json`; of a session without a task, in the file of its recipe.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Step } from './step.ts';

const [script = ''] = process.argv.slice(2);
const config = JSON.parse(readFileSync(process.env['RALPH_MCP_CONFIG'] ?? '', 'utf8'));
const { command, args, env } = config.mcpServers.ralph;
const { RALPH_RECIPE: recipe, RALPH_TASK_ID: id } = env;
const task = id === undefined ? recipe : recipe === 'opus_review' ? `${id}.review` : id;

const counter = join(script, `${task}.count`);
const attempt = existsSync(counter) ? Number(readFileSync(counter, 'utf8')) : 0;
writeFileSync(counter, String(attempt + 1));
const attempts: Step[][] = JSON.parse(readFileSync(join(script, `${task}.json`), 'utf8'));
const steps = attempts[Math.min(attempt, attempts.length - 1)] ?? [];
writeFileSync(join(script, `${task}.${attempt}.prompt`), readFileSync(0, 'utf8'));

const client = new Client({ name: 'scripted', version: '1' });
const PATH = process.env['PATH'] ?? '';
await client.connect(
  new StdioClientTransport({ command, args, env: { ...env, PATH, HOME: process.env['HOME'] ?? '' } }),
);
for (const step of steps) {
  if ('exit' in step) process.exit(step.exit);
  else if ('verb' in step) {
    const isRefused = await say(step.verb, step.args);
    if (!isRefused || step.insists === undefined) continue;
    writeFileSync(`task-${task}.txt`, `${attempt}\n`);
    await say(step.verb, step.args);
  } else {
    if (step.says !== undefined) console.log(step.says);
    execFileSync('sh', ['-c', step.shell], { stdio: 'ignore' });
  }
}
await client.close();

/** Whoever watches sees what was said, or why it was refused. */
async function say(verb: string, args: Record<string, unknown>): Promise<boolean> {
  const result = await client.callTool({ name: verb, arguments: args });
  const words = result.isError ? result.content : Object.values(args)[0];
  const text = typeof words === 'string' ? words : JSON.stringify(words);
  console.log(`${verb}: ${text}`);
  return result.isError === true && text.includes('no file has changed');
}
