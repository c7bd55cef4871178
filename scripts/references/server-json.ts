// server.json for the MCP registry. Names, version and the address of the repository stand in package.json only.
import { readFileSync } from 'node:fs';
import { repositoryName } from '../release/checks.ts';

export function serverJson(): string {
  const { name, version, mcpName, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Ralph',
    description: 'Finishes software backlogs: a queue of tasks, and gates that prove every done.',
    repository: { url: `https://github.com/${repositoryName(repository.url)}`, source: 'github' },
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          {
            name: 'RALPH_PROJECT',
            description: 'Folder of the project, where the client does not start the server in it',
            format: 'filepath',
            isRequired: false,
          },
        ],
      },
    ],
  };
  return `${JSON.stringify(server, null, 2)}\n`;
}
