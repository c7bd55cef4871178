// A small git project for one round, with changes of a person's that Ralph must not touch.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { writeGitShim } from './disturb/git-call.ts';
import { GATE } from './ledger.ts';
import type { Plan, PlannedWork } from './plan.ts';

/** What is run: the bundled command and the bundled scripted agent. */
export type Programs = { ralph: string; agent: string };

export type ChaosProject = {
  folder: string;
  root: string;
  /** Where the harness writes what it sees. */
  ledger: string;
  env: Readonly<Record<string, string>>;
  /** The folder in front of PATH, with the git that can be told to die. */
  bin: string;
  /** The first commit, which every clone has. */
  begin: string;
};

/** Changed, new and staged by a person before the first run: so it must be at the end. */
export const PERSONAL: Readonly<Record<string, { text: string; status: string }>> = {
  'README.md': { text: 'A person is rewriting this.\n', status: ' M' },
  'notes.txt': { text: 'Notes of a person.\n', status: '??' },
  'staged.txt': { text: 'Staged by a person.\n', status: 'M ' },
};

/** `agentSettings`: the part of the configuration that names the agent, given where the ledger is. */
export function makeProject(
  plan: Plan,
  programs: Programs,
  agentSettings: (ledger: string) => string,
): ChaosProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-chaos-')));
  const [root, home, ledger] = [join(folder, 'project'), join(folder, 'home'), join(folder, 'ledger')];
  for (const place of [root, home, ledger]) mkdirSync(place);
  writeProject({ root, ledger }, plan, `${agentSettings(ledger)}jobs: ${plan.jobs}\n`);
  for (const name of ['README.md', 'staged.txt', 'shared.txt'])
    writeFileSync(join(root, name), 'As it was.\n');

  const bin = writeGitShim(folder, ledger);
  const runtime = join(folder, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const PATH = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
  const env = { HOME: home, RALPH_SANDBOX: 'off', PATH, XDG_RUNTIME_DIR: runtime };
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A Person');
  git('config', 'user.email', 'person@example.com');
  git('add', '.');
  git('commit', '-qm', 'Begin');
  for (const [name, { text }] of Object.entries(PERSONAL)) writeFileSync(join(root, name), text);
  git('add', 'staged.txt');
  execFileSync(process.execPath, [programs.ralph, 'trust', '--yes'], { cwd: root, env });
  return { folder, root, ledger, env, bin, begin: git('rev-parse', 'HEAD').trim() };
}

/** Configuration, tasks, gate, and what the scripted agent does. `settings`: more of the configuration. */
export function writeProject(
  { root, ledger }: Pick<ChaosProject, 'root' | 'ledger'>,
  plan: PlannedWork,
  settings: string,
): void {
  const [ralph, script] = [join(root, '.ralph'), join(ledger, 'gate.sh')];
  mkdirSync(ralph);
  for (const task of plan.tasks)
    writeFileSync(join(ledger, `${task.id}.json`), JSON.stringify(task.attempts));
  writeFileSync(script, GATE);
  const gate = JSON.stringify(['sh', script, ledger, String(plan.gateMs / 1_000)]);
  writeFileSync(
    join(ralph, 'config.yaml'),
    `${settings}max_attempts: 50\nlimits: { stuck: 50, stagnation: 50 }\ngates: [{ name: check, command: ${gate} }]\n`,
  );
  writeFileSync(join(ralph, 'tasks.yaml'), tasksYaml(plan));
}

/** The part of the configuration that names the scripted agent. */
export const scriptedAgent = ({ agent }: Pick<Programs, 'agent'>, ledger: string): string =>
  `agent: scripted\nagents: { scripted: { command: ${JSON.stringify([process.execPath, agent, ledger])} } }\n`;

const tasksYaml = ({ tasks }: PlannedWork): string =>
  `tasks:\n${tasks
    .map(
      ({ id, depends_on, priority }) =>
        `  - { id: ${id}, title: Write part ${id}, priority: ${priority}, depends_on: [${depends_on.join(', ')}] }\n`,
    )
    .join('')}`;
