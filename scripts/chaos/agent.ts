// The scripted agent of the chaos rounds: a real MCP client that writes down each answer it was given, and goes on when its server was killed.
// argv: a folder with `N.json` a task, a list of attempts.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { acknowledge, holdFile } from './ledger.ts';
import type { Step } from './plan.ts';

const [folder = ''] = process.argv.slice(2);
const config = JSON.parse(readFileSync(process.env['RALPH_MCP_CONFIG'] ?? '', 'utf8'));
const { command, args, env } = config.mcpServers.ralph;
const { RALPH_SESSION_ID: session } = env;
const task = /^## Your task: #(\d+)/m.exec(readFileSync(0, 'utf8'))?.[1] ?? '';

const counter = join(folder, `${task}.count`);
const attempt = existsSync(counter) ? Number(readFileSync(counter, 'utf8')) : 0;
writeFileSync(counter, String(attempt + 1));
const attempts: Step[][] = JSON.parse(readFileSync(join(folder, `${task}.json`), 'utf8'));
const steps = attempts[Math.min(attempt, attempts.length - 1)] ?? [];

/** A server that was killed is started again, as Claude Code does. */
const TRIES = 5;
const HOLD_LOOK_MS = 10;

let client = await connected();
for (const [index, step] of steps.entries()) {
  while (existsSync(holdFile(folder))) await pause(HOLD_LOOK_MS);
  if ('shell' in step) execFileSync('sh', ['-c', step.shell], { stdio: 'ignore' });
  else if ('pauseMs' in step) await pause(step.pauseMs);
  else await say(step, `call-${index}`);
}
await client.close();

async function say({ say: verb, args: given, nonce, honest }: Extract<Step, { say: string }>, call: string) {
  for (let tries = 1; ; tries++) {
    try {
      const { isError } = await client.callTool({
        name: verb,
        arguments: given,
        // The same call sent again is the same signal.
        _meta: { 'claudecode/toolUseId': call },
      });
      if (isError) process.exit(3);
      break;
    } catch (error) {
      if (tries === TRIES) throw error;
      client = await connected();
    }
  }
  acknowledge(folder, { task: Number(task), session, verb, nonce, honest });
}

async function connected(): Promise<Client> {
  for (let tries = 1; ; tries++) {
    const made = new Client({ name: 'chaos', version: '1' });
    const PATH = process.env['PATH'] ?? '';
    const inherited = { ...env, PATH, HOME: process.env['HOME'] ?? '' };
    try {
      await made.connect(new StdioClientTransport({ command, args, env: inherited, stderr: 'ignore' }));
      return made;
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}
