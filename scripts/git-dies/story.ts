// One story: a run in which one call of git dies, runs without faults until nothing changes any more, and everything compared.
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokenPromises } from './checks.ts';
import { readQueue } from './evidence.ts';
import { copyProject, prepareProject, type StoryProject } from './project.ts';

/** `before`: it fails and has done nothing. `after`: it has done its work and is killed before it can say so. */
export const DEATHS = ['before', 'after'] as const;
export type Death = { number: number; how: (typeof DEATHS)[number] };

export type StoryResult = { death: Death; call: string; broken: string[] };

/** A place for all stories, with the prepared project in it; gone when the work is done. */
export async function withStories<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-git-dies-')));
  try {
    prepareProject(join(folder, 'prepared'));
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How many calls of its own git Ralph makes in a story in which none dies, and what is wrong with that story. */
export async function countCalls(
  folder: string,
  ralph: string,
): Promise<{ calls: number; broken: string[] }> {
  const { broken, project } = await tell(folder, ralph, null, 'undisturbed');
  return { calls: readdirSync(project.calls).length, broken };
}

export async function tellStory(folder: string, ralph: string, death: Death): Promise<StoryResult> {
  const name = `${death.how}-${death.number}`;
  const { broken, project } = await tell(folder, ralph, death, name);
  const file = join(project.calls, String(death.number));
  const call = existsSync(file) ? readFileSync(file, 'utf8') : 'the story made fewer calls';
  rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  return { death, call: withoutSettings(call), broken };
}

/** More than a story needs: each but the last is one in which a person had to act. */
const MOST_RUNS = 8;

async function tell(
  folder: string,
  ralph: string,
  death: Death | null,
  name: string,
): Promise<{ broken: string[]; project: StoryProject }> {
  const project = copyProject(join(folder, 'prepared'), join(folder, name));
  const run = (args: readonly string[], env = project.plainEnv) => runRalph(ralph, args, project.root, env);
  await run(['trust', '--yes']);
  if (death !== null) writeFileSync(project.victim, `${death.how} ${death.number}\n`);
  // It dies in whichever run comes to it, and only once: no number is given twice.
  const ends = [await run(['run'], project.env)];
  for (let runs = 1; runs < MOST_RUNS && !isFinished(project); runs++) {
    await actAsPerson(project, run);
    ends.push(await run(['run'], project.env));
  }
  return { broken: brokenPromises(project, ends), project };
}

const isFinished = ({ root }: StoryProject): boolean =>
  readQueue(root).tasks.every(({ status }) => status === 'done');

/** Answers every question, and lets what is blocked or has failed go on. */
async function actAsPerson(
  { root }: StoryProject,
  run: (args: readonly string[]) => Promise<RunEnd>,
): Promise<void> {
  const { tasks, questions } = readQueue(root);
  for (const { id } of questions) await run(['answer', String(id), 'Go on.']);
  for (const { id, status } of tasks)
    if (status === 'blocked' || status === 'failed') await run(['retry', String(id)]);
}

export type RunEnd = { code: number | null; output: string };

/** Longer than any story takes on a busy machine: only a run that hangs is ended by it. */
const TIMEOUT_MS = 600_000;

function runRalph(
  ralph: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<RunEnd> {
  return new Promise((over) => {
    const options = { cwd, env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
    const child = execFile(process.execPath, [ralph, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      over({ code, output: `${stdout}${stderr}` });
    });
    child.stdin?.end();
  });
}

/** The command itself, for people who read which call it was. */
const withoutSettings = (call: string): string => call.replaceAll(/-c \S+ |--no-\S+ /g, '').trim();
