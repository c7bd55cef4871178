import { expect, it } from 'vitest';
import { CLIENTS, clientConfig } from '../../src/text/client-config.ts';

const START = {
  command: '/opt/node',
  args: ['/opt/ralph.js', 'mcp'],
  env: { RALPH_PROJECT: '/home/p/web "shop"' },
};

it('each client gets its own format', async () => {
  const shown = CLIENTS.map((client) => {
    const { file, text } = clientConfig(client, START);
    return `## ${client}: ${file}\n\n${text}\n`;
  });
  await expect(shown.join('\n')).toMatchFileSnapshot('golden/client-configs.md');
});

it('by npx no path of this machine is in any of them', () => {
  for (const client of CLIENTS) {
    const { text } = clientConfig(client, { command: 'npx', args: ['-y', 'ralph-mcp', 'mcp'], env: {} });
    expect(text).not.toMatch(/RALPH_PROJECT|"\//);
    expect(text).toContain('ralph-mcp');
  }
});
