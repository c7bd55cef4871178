// Ten tasks are done one after another; the power fails while each is checked, and after each has its receipt.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { killCarriers } from '../../src/host/processes/reap.ts';
import { type DiskLook, lookAtDisk } from './checks.ts';
import { cutPower, type Disk, sizesBelow } from './cut.ts';
import { buildRecorder } from './recorder.ts';

const TASKS = 10;
const MOMENTS = ['checking', 'finished'];

export type Cut = DiskLook & { number: number; moment: string };

/** A sentence where this machine cannot do it. */
export async function cutPowerInStory(ralph: string): Promise<Cut[] | string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-power-cut-')));
  try {
    const recorder = buildRecorder(folder);
    if (typeof recorder === 'string') return recorder;
    const [root, env] = [join(folder, 'project'), makeProject(folder, ralph)];
    const disk = { root, log: recorder.log, before: sizesBelow(root) };
    const copies = await runWithCuts(ralph, disk, folder, { ...env, ...recorder.env });
    return copies.map(({ copy, ...cut }) => ({ ...cut, ...lookAtDisk(copy, env) }));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Copy = { number: number; moment: string; copy: string };

async function runWithCuts(
  ralph: string,
  disk: Disk,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Copy[]> {
  const copies: Copy[] = [];
  const marker = `RALPH_POWER_CUT=${folder}` as const;
  const child = spawn(process.execPath, [ralph, 'run', '--json'], {
    cwd: disk.root,
    env: { ...env, RALPH_POWER_CUT: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const moment = MOMENTS.find((kind) => line.startsWith(`{"kind":"${kind}"`));
      if (moment === undefined) continue;
      const number = copies.length + 1;
      const copy = join(folder, `cut-${number}`);
      cutPower(disk, marker, copy);
      copies.push({ number, moment, copy });
    }
  } finally {
    await killCarriers(marker);
  }
  return copies;
}

/** The agent speaks by sigils, so that its session needs neither Node nor an MCP server. */
const AGENT = `task=$(sed -n 's/^## Your task: #\\([0-9]*\\).*/\\1/p')
mkdir -p work && echo "part $task" > "work/$task.txt"
echo '<TASK_DONE>'
`;

function makeProject(folder: string, ralph: string): Record<string, string> {
  const [root, home, agent] = [join(folder, 'project'), join(folder, 'home'), join(folder, 'agent.sh')];
  for (const place of [join(root, '.ralph'), join(root, 'work'), home]) mkdirSync(place, { recursive: true });
  writeFileSync(join(root, 'work/README'), 'Parts.\n');
  writeFileSync(agent, AGENT);
  const ids = Array.from({ length: TASKS }, (_, index) => index + 1);
  const tasks = ids.map((id) => `  - { id: ${id}, title: Write part ${id} }\n`).join('');
  writeFileSync(join(root, '.ralph/tasks.yaml'), `tasks:\n${tasks}`);
  writeFileSync(
    join(root, '.ralph/config.yaml'),
    `agent: scripted\nagents: { scripted: { command: [sh, ${JSON.stringify(agent)}], protocol: sigils } }\ngates: [{ name: check, command: test -d work }]\n`,
  );
  const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] ?? '' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env });
  git('init', '-q');
  git('config', 'user.name', 'A Person');
  git('config', 'user.email', 'person@example.com');
  git('add', '.');
  git('commit', '-qm', 'Begin');
  execFileSync(process.execPath, [ralph, 'trust', '--yes'], { cwd: root, env });
  return env;
}
