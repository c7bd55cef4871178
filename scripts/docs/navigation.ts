/** The pages of the site in the order in which one reads them. A page of docs/ that is missing here fails the tests. */
export const NAVIGATION: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  Start: [
    ['README.md', 'Ralph'],
    ['docs/install.md', 'Install'],
    ['docs/running.md', 'Running'],
  ],
  Use: [
    ['docs/planning.md', 'Planning'],
    ['docs/parallel.md', 'Parallel work'],
    ['docs/pull-requests.md', 'Pull requests'],
    ['docs/dashboard.md', 'Dashboard'],
    ['docs/knowledge.md', 'Knowledge'],
    ['docs/clients.md', 'Claude Code and clients'],
    ['docs/agents.md', 'Other agents'],
    ['docs/import.md', 'Import and export'],
    ['docs/database.md', 'The queue on PostgreSQL'],
    ['docs/fleet.md', 'Several machines'],
    ['docs/notifications.md', 'Notifications'],
    ['docs/security.md', 'Security'],
    ['docs/faults.md', 'Faults'],
  ],
  Reference: [
    ['docs/cli.md', 'Commands'],
    ['docs/config.md', 'Configuration'],
    ['docs/definitions.md', 'Definitions'],
    ['docs/files.md', 'Files'],
    ['docs/mcp.md', 'MCP'],
  ],
  Development: [
    ['ARCHITECTURE.md', 'Architecture'],
    ['docs/internals.md', 'Internals'],
    ['CONTRIBUTING.md', 'Contributing'],
    ['docs/releasing.md', 'Releasing'],
    ['docs/retrieval.md', 'Retrieval'],
    ['docs/seeds.md', 'Requirements and tests'],
    ['CHANGELOG.md', 'Changelog'],
  ],
};
