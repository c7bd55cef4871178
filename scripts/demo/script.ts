// What a scripted agent does and says: `N.json` in its folder is a list of attempts at task N, each a list of steps.
// What the task's reviewer does and says is in `N.review.json`; of a session without a task, in the file of its recipe.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';

/** What a scripted agent does: a shell line in the project, told in words where it is worth it, a verb, or an early end. */
export type Step =
  | { shell: string; says?: string }
  /** `insists`: where it is refused for having changed nothing, it changes something and says it again. */
  | { verb: string; args: Record<string, unknown>; insists?: true }
  | { exit: number };

export type Attempt = { steps: readonly Step[]; file: string; text: string };

/** The steps of the next attempt. Its prompt is kept beside them, for a test to read. */
export async function takeAttempt(folder: string, client: Client, prompt: string): Promise<Attempt> {
  const task = await findSubject(client, prompt);
  const counter = join(folder, `${task}.count`);
  const number = existsSync(counter) ? Number(readFileSync(counter, 'utf8')) : 0;
  writeFileSync(counter, String(number + 1));
  const attempts: Step[][] = JSON.parse(readFileSync(join(folder, `${task}.json`), 'utf8'));
  writeFileSync(join(folder, `${task}.${number}.prompt`), prompt);
  const steps = attempts[Math.min(number, attempts.length - 1)] ?? [];
  return { steps, file: `task-${task}.txt`, text: `${number}\n` };
}

/** Its server serves one prompt, and that one names its task. */
async function findSubject(client: Client, prompt: string): Promise<string> {
  const recipe = (await client.listPrompts()).prompts[0]?.name ?? '';
  if (recipe !== 'task_execution' && recipe !== 'opus_review') return recipe;
  const id = /^## (?:Your|The session's) task: #(\d+)|^\/mcp__ralph__\w+ (\d+)/m.exec(prompt);
  const task = id?.[1] ?? id?.[2] ?? '';
  return recipe === 'opus_review' ? `${task}.review` : task;
}

export type Hands = {
  client: Client;
  /** In the project. */
  runShell(line: string): void | Promise<void>;
  print(line: string): void;
  writeFile(name: string, text: string): void;
};

/** Answers with the code of an early end; null where every step was done. */
export async function playSteps({ steps, file, text }: Attempt, hands: Hands): Promise<number | null> {
  for (const step of steps) {
    if ('exit' in step) return step.exit;
    if ('verb' in step) {
      const isRefused = await say(hands, step.verb, step.args);
      if (!isRefused || step.insists === undefined) continue;
      hands.writeFile(file, text);
      await say(hands, step.verb, step.args);
    } else {
      if (step.says !== undefined) hands.print(step.says);
      await hands.runShell(step.shell);
    }
  }
  return null;
}

/** The watching person sees what the agent said, or why Ralph refused it. */
async function say({ client, print }: Hands, verb: string, args: Record<string, unknown>): Promise<boolean> {
  const result = await client.callTool({ name: verb, arguments: args });
  const words = result.isError ? result.content : Object.values(args)[0];
  const text = typeof words === 'string' ? words : JSON.stringify(words);
  print(`${verb}: ${text}`);
  return result.isError === true && text.includes('no file has changed');
}
