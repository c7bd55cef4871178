// Attacks on the person's files and machine.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, contains, NOT_BASH, node, ONLY_OFF, reads } from './attack.ts';

export const ON_PERSON: readonly Attack[] = [
  {
    name: 'checkout',
    what: "writes a file of the person's checkout",
    command: ({ root }) => `echo forged > ${join(root, 'README.md')}`,
    succeeded: ({ root }) => contains(join(root, 'README.md'), 'forged'),
    outcome: ONLY_OFF,
  },
  {
    name: 'checkout by tool',
    what: "writes a file of the person's checkout with the client's own Write tool",
    tool: 'Write',
    command: ({ root }) => join(root, 'written.md'),
    succeeded: ({ root }) => existsSync(join(root, 'written.md')),
    outcome: NOT_BASH,
  },
  {
    name: 'start-up files',
    what: 'writes a start-up file of the shell',
    command: ({ home }) => `echo forged >> ${join(home, '.bashrc')}`,
    succeeded: ({ home }) => contains(join(home, '.bashrc'), 'forged'),
    outcome: ONLY_OFF,
  },
  {
    name: 'client settings',
    what: "writes the settings of the person's Claude Code",
    command: ({ home }) =>
      `mkdir -p ${home}/.claude; echo '{"forged":1}' > ${join(home, '.claude/settings.json')}`,
    succeeded: ({ home }) => contains(join(home, '.claude/settings.json'), 'forged'),
    outcome: ONLY_OFF,
  },
  {
    name: 'keys',
    what: 'reads `~/.ssh`',
    command: ({ home }) => `cat ${join(home, '.ssh/id')}`,
    succeeded: reads,
    outcome: ONLY_OFF,
  },
  {
    name: 'network',
    what: 'reaches a host that is not allowed',
    command: ({ port }) =>
      node(`const { request } = require('node:http');
const ask = (options) => request({ timeout: 5000, ...options }).on('error', (error) => console.log(String(error))).on('response', (answer) => answer.resume()).end();
ask({ host: '127.0.0.1', port: ${port} });
const proxy = process.env.http_proxy && new URL(process.env.http_proxy);
const login = proxy && Buffer.from(decodeURIComponent(proxy.username + ':' + proxy.password)).toString('base64');
if (proxy) ask({ host: proxy.hostname, port: proxy.port, path: 'http://127.0.0.1:${port}/', headers: { host: '127.0.0.1:${port}', 'proxy-authorization': 'Basic ' + login } });`),
    succeeded: (_, { wasReached }) => wasReached,
    // Before 2.1.219 the client's list is one of hosts that it does not ask about, and nobody is there to be asked.
    outcome: NOT_BASH,
  },
];
