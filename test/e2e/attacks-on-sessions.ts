// Attacks on the supervisor and on a second session that works beside the attacker's.
import { join } from 'node:path';
import {
  type Aftermath,
  type Attack,
  type AttackScene,
  calls,
  NOT_BASH,
  node,
  ONLY_OFF,
  reads,
} from './attack.ts';
import { commandLines } from './command-lines.ts';

/** Says a number with it if it could do it: an error of the script may say the words. What it kills may end by itself later. */
const says =
  (words: string) =>
  (_: AttackScene, { output }: Aftermath): boolean =>
    new RegExp(`^${words} \\d+$`, 'm').test(output);

/** `other`: the part of the second session's configuration that has its socket and its token. */
const findOther = ({ runtime }: AttackScene): string => `const fs = require('node:fs');
const path = require('node:path');
const found = [];
const look = (folder) => { for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
  const at = path.join(folder, entry.name);
  if (entry.isDirectory()) look(at); else if (entry.name === 'mcp.json') found.push(JSON.parse(fs.readFileSync(at, 'utf8')).mcpServers.ralph.env);
} };
look('${runtime}');
const other = found.find((env) => env.RALPH_SESSION_ID !== process.env.RALPH_SESSION_ID);`;

/** Of this scene only: other projects may be at work on the machine. */
const killOthers = (condition: string): string =>
  node(`const fs = require('node:fs');
const pids = [];
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) try {
  const environ = fs.readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0');
  const command = fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8');
  const cwd = fs.readlinkSync('/proc/' + pid + '/cwd');
  const session = environ.find((one) => one.startsWith('RALPH_SESSION_ID='))?.slice(17);
  const isOther = session !== undefined && session !== process.env.RALPH_SESSION_ID;
  if (${condition}) pids.push(Number(pid));
} catch {}
// A watcher is younger than what it watches, and must not have time to act.
for (const pid of pids.sort((one, other) => other - one)) { process.kill(pid, 'SIGKILL'); console.log('killed ' + pid); }`);

export const ON_SESSIONS: readonly Attack[] = [
  {
    name: 'other prompt',
    what: "reads another task's prompt",
    command: ({ stateDir }) => `cat ${join(stateDir, 'sessions/*/prompt.md')}`,
    succeeded: reads,
    outcome: ONLY_OFF,
  },
  {
    name: 'environment',
    what: 'reads the environment of the supervisor from `/proc`',
    command: () => `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep '^KEPT_FROM_AGENTS='`,
    succeeded: reads,
    outcome: ONLY_OFF,
  },
  {
    name: 'leftover',
    what: 'leaves a process behind: `setsid env -i`',
    command: ({ port }) =>
      `setsid env -i bash -c 'exec -a left-behind-${port} sleep 300' >/dev/null 2>&1 </dev/null & until grep -qs ^left-behind-${port} /proc/[0-9]*/cmdline; do sleep 0.1; done`,
    succeeded: ({ port }) => commandLines().some(({ line }) => line.startsWith(`left-behind-${port}`)),
    outcome: ONLY_OFF,
  },
  {
    name: 'other token',
    what: "reads another session's token",
    command: (scene) =>
      node(`${findOther(scene)}\nconsole.log('has a token of ' + other.RALPH_TOKEN.length);`),
    succeeded: says('has a token of'),
    outcome: NOT_BASH,
  },
  {
    name: 'other voice',
    what: "speaks with another session's token: its task is done",
    command: (scene) =>
      node(`${findOther(scene)}
const socket = require('node:net').connect(other.RALPH_SOCKET);
socket.on('error', (error) => console.log(String(error)));
socket.write(JSON.stringify({ token: other.RALPH_TOKEN }) + '\\n' + ${JSON.stringify(`${calls('done', { summary: 'Forged.' }).join('\n')}\n`)});
socket.on('data', (text) => { console.log(String(text)); if (String(text).includes('"id":2')) socket.destroy(); });`),
    succeeded: (_, { rows }) =>
      rows("select 1 from signals where verb = 'done' and payload like '%Forged%'").length > 0,
    outcome: ONLY_OFF,
  },
  {
    name: 'relay',
    what: "kills another session's relay",
    command: ({ runtime }) =>
      killOthers(
        `isOther && command.includes('relay.js') && environ.some((one) => one.startsWith('RALPH_SOCKET=${runtime}'))`,
      ),
    succeeded: says('killed'),
    outcome: ONLY_OFF,
  },
  {
    name: 'other session',
    what: 'kills another session',
    command: ({ home }) => killOthers(`isOther && environ.includes('HOME=${home}')`),
    succeeded: says('killed'),
    outcome: ONLY_OFF,
  },
];

/** After the attacker has said that it is done: nothing comes after this. */
export const ON_SUPERVISOR: Attack = {
  name: 'supervisor',
  what: 'kills the supervisor and its watcher, before the gates judge',
  command: ({ root }) =>
    killOthers(
      `session === undefined && cwd === '${root}' && /ralph\\.js\\0(run\\0|.*watcher)/.test(command)`,
    ),
  succeeded: (_, { wasKilled }) => wasKilled,
  outcome: ONLY_OFF,
};
