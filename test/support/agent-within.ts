// A scripted agent that is cheap to start: its process is a shell, its MCP client works within the test.
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { playSteps, takeAttempt } from '../../scripts/demo/script.ts';
import { sessionTransport } from './session-server.ts';

/** Says what it was started with, and does as it is told. What may hold any character is passed in files. */
const SHELL = `exec 3<>"/dev/tcp/127.0.0.1/$1"
cat > "$2/$$.stdin"
printf '%s\\n' "$2/$$.stdin" "$PWD" "$RALPH_MCP_CONFIG" >&3
while read -r order rest <&3; do
  case $order in
    run) sh "$rest" </dev/null >/dev/null 2>&1 3>&-; echo "$?" >&3 ;;
    print)
      # Without a process of its own for each line.
      { while IFS= read -r -d '' text; do printf '%s\\0' "$text"; done; printf %s "$text"; } <"$rest"
      ;;
    exit) exit "$rest" ;;
  esac
done
exit 0
`;

/** The command of an agent whose script is in `folder` (scripts/demo/script.ts). */
export async function agentWithin(folder: string): Promise<readonly string[]> {
  const shell = join(folder, 'agent.sh');
  writeFileSync(shell, SHELL);
  const sessions: Promise<void>[] = [];
  const server = createServer((socket) => {
    const failed = () => void socket.write('exit 1\n');
    sessions.push(
      workFor(socket, folder)
        .catch(failed)
        .finally(() => socket.end()),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    server.close();
    await Promise.all(sessions);
  });
  return ['bash', shell, String((server.address() as AddressInfo).port), folder];
}

async function workFor(socket: Socket, folder: string): Promise<void> {
  // A shell that was killed is no fault of this end.
  socket.on('error', () => {});
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const told: string[] = [];
  while (told.length < 3) {
    const { value, done } = await lines.next();
    if (done === true) return;
    told.push(value);
  }
  const [prompt, root, config] = told as [string, string, string];
  const { env } = JSON.parse(readFileSync(config, 'utf8')).mcpServers.ralph;
  let orders = 0;
  const order = (name: 'run' | 'print', text: string): void => {
    orders += 1;
    const file = `${prompt}.${orders}`;
    writeFileSync(file, text);
    socket.write(`${name} ${file}\n`);
  };
  const { transport, socket: server } = await sessionTransport(env);
  const client = new Client({ name: 'scripted', version: '1' });
  await client.connect(transport);
  try {
    const code = await playSteps(await takeAttempt(folder, client, readFileSync(prompt, 'utf8')), {
      client,
      runShell: async (line) => {
        order('run', line);
        const { value } = await lines.next();
        if (value !== '0') throw new Error(`"${line}" ended with ${value ?? 'its shell'}.`);
      },
      print: (line) => order('print', `${line}\n`),
      writeFile: (name, text) => writeFileSync(join(root, name), text),
    });
    if (code !== null) socket.write(`exit ${code}\n`);
  } finally {
    await client.close();
    server.end();
  }
}
