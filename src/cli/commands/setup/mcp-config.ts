import { Argument, Option } from 'commander';
import { findProject } from '../../../host/project.ts';
import { CLIENTS, type ClientName, clientConfig, type Start } from '../../../text/client-config.ts';
import { defineCommand } from '../../command.ts';

export const mcpConfig = defineCommand<[ClientName], { npx?: boolean }>({
  name: 'mcp-config',
  summary: 'print the configuration by which an MCP client starts Ralph for this project',
  group: 'Set up',
  args: [new Argument('<client>', 'which client').choices(CLIENTS)],
  options: [
    new Option('--npx', 'start Ralph by npx, without paths of this machine; for a file that you commit'),
  ],
  examples: ['ralph mcp-config cursor > .cursor/mcp.json', 'ralph mcp-config vscode --npx'],
  run: async ({ project, program, pipes, asJson }, [client], { npx = false }) => {
    const { root } = findProject(project);
    const start: Start = npx
      ? { command: 'npx', args: ['-y', 'ralph-mcp', 'mcp'], env: {} }
      : // Absolute paths: the client may find another Node, and may start the server in any folder.
        { command: program.node, args: [program.script, 'mcp'], env: { RALPH_PROJECT: root } };
    const config = clientConfig(client, start);
    // Standard output holds the configuration alone, so that it can go into a file.
    if (!asJson) pipes.log(`ralph: Put this into ${config.file}, and keep its other entries.\n`);
    return { json: { client, ...config }, text: config.text };
  },
});
