// The files that `ralph init` writes: short, with comments that show what to add.
import { basename } from 'node:path';
import { stringify } from 'yaml';
import type { PredefinedDiscipline } from './disciplines.ts';
import type { Repository } from './repository.ts';
import type { SuggestedGate } from './suggest-gates.ts';
import { type SuggestedSetup, suggestSetup } from './suggest-setup.ts';

export function initialFiles(
  root: string,
  repository: Repository,
  gates: readonly SuggestedGate[],
  disciplines: readonly PredefinedDiscipline[],
): Map<string, string> {
  const { packageJson } = repository;
  const title = (packageJson.name ?? basename(root)).slice(0, 200);
  const description = packageJson.description?.slice(0, 2_000) ?? null;
  return new Map([
    ['.ralph/config.yaml', configText(gates, suggestSetup(repository))],
    ['.ralph/metadata.yaml', toText({ metadata: { title, ...(description !== null && { description }) } })],
    ['.ralph/disciplines.yaml', DISCIPLINES + toText({ disciplines })],
    ['.ralph/features.yaml', FEATURES],
    ['.ralph/tasks.yaml', TASKS],
  ]);
}

const toText = (value: object): string => stringify(value, { lineWidth: 0 });

function configText(gates: readonly SuggestedGate[], setup: SuggestedSetup | null): string {
  const list =
    gates.length === 0
      ? 'gates: []\n'
      : toText({ gates: gates.map(({ name, command, required = true }) => ({ name, command, required })) });
  return `# How Ralph works here. Every key is optional; a missing one has the default shown here.
agent: claude
model: haiku
ladder: [haiku, sonnet, opus]   # models to climb after failed tries
max_attempts: 3
permissions: bypassPermissions  # agents edit files and run commands as you, without asking
commit: task                    # task | feature | agent | never
specs: [specs]                  # directories the agent must read and not change

# What Ralph runs itself after every "done". A required gate that fails sends the task back, with its output.
${list}${setup === null ? '' : setupText(setup)}`;
}

const setupText = ({ command, stamp }: SuggestedSetup): string => `
# Sessions work in checkouts of their own. How a fresh one gets its dependencies, and what makes it get them again.
${toText({ slots: { setup: command, stamp } })}`;

/** The same configuration, for a person who wants the repository's hooks to judge commits. */
export const withHooks = (config: string): string =>
  config.replace(
    /^commit: task .*$/m,
    'commit: { policy: task, hooks: run }   # policy: task | feature | agent | never',
  );

const DISCIPLINES =
  '# How work is done: persona, skills and conventions for a task that names the discipline. Make them yours.\n';

const FEATURES = `# What the work is about: each feature brings its knowledge to its tasks.
features:
#  - name: auth
#    description: Sign-in with sessions and refresh tokens
#    knowledge_paths: [docs/auth.md]
#    context_files: [src/auth.ts]
`;

const TASKS = `# Tasks kept in git. Others are added with: ralph add "What is to be done"
tasks:
#  - title: Rate-limit the login endpoint
#    discipline: backend
#    priority: high
#    acceptance_criteria: [The sixth attempt within a minute is answered with 429]
`;
