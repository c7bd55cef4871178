// A project whose agent is scripted: a real MCP client in a process of its own that does and says what the test wrote down.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../../scripts/demo/script.ts';
import { agentWithin } from './agent-within.ts';
import { initialised, type TestProject, WITHOUT_MAINTENANCE } from './ralph.ts';
import { runNow } from './run-now.ts';

export type ScriptedProject = {
  project: TestProject;
  /** What each session of a task does, where that is known only now. */
  write: (task: number | string, attempts: readonly (readonly Step[])[]) => void;
  promptOf: (task: number | string, attempt: number) => string;
  git: (...args: string[]) => string;
  config: (text: string) => Promise<void>;
};

/** With a change, whatever else the session does: a done without one is refused. */
export const done = (summary = 'Built.'): Step => ({ verb: 'done', args: { summary }, insists: true });
export const shell = (line: string): Step => ({ shell: line });

/**
 * `attempts`: by task, what each of its sessions does; `N.review` for its reviewers.
 */
export async function scripted(
  attempts: Readonly<Record<string, readonly (readonly Step[])[]>>,
  config = '',
): Promise<ScriptedProject> {
  const project = await initialised();
  const folder = join(project.home, 'script');
  mkdirSync(folder);
  const write: ScriptedProject['write'] = (id, steps) =>
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(steps));
  for (const [id, steps] of Object.entries(attempts)) write(id, steps);
  const command = JSON.stringify(await agentWithin(folder));
  const configure = async (text: string): Promise<void> => {
    writeFileSync(
      join(project.root, '.ralph/config.yaml'),
      `agent: scripted\nagents: { scripted: { command: ${command} } }\n${text}`,
    );
    await project.json('trust', '--yes');
  };
  await configure(config);
  const env = { HOME: project.home, PATH: process.env['PATH'], ...WITHOUT_MAINTENANCE };
  const git: ScriptedProject['git'] = (...args) => runNow('git', args, { cwd: project.root, env });
  return {
    project,
    write,
    config: configure,
    git,
    promptOf: (task, attempt) => readFileSync(join(folder, `${task}.${attempt}.prompt`), 'utf8'),
  };
}
