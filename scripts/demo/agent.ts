// A scripted agent: a real MCP client in a process of its own. argv: the folder with its script (script.ts).
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { playSteps, takeAttempt } from './script.ts';

const [folder = ''] = process.argv.slice(2);
const config = JSON.parse(readFileSync(process.env['RALPH_MCP_CONFIG'] ?? '', 'utf8'));
const { command, args, env } = config.mcpServers.ralph;
const prompt = readFileSync(0, 'utf8');

const client = new Client({ name: 'scripted', version: '1' });
const PATH = process.env['PATH'] ?? '';
await client.connect(
  new StdioClientTransport({ command, args, env: { ...env, PATH, HOME: process.env['HOME'] ?? '' } }),
);
const code = await playSteps(await takeAttempt(folder, client, prompt), {
  client,
  runShell: (line) => void execFileSync('sh', ['-c', line], { stdio: 'ignore' }),
  print: (line) => console.log(line),
  writeFile: writeFileSync,
});
if (code !== null) process.exit(code);
await client.close();
