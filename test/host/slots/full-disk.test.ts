import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { slotsFolder } from '../../../src/app/sessions/slots.ts';
import { run } from '../../support/ralph.ts';
import { done, scripted, shell } from '../../support/scripted-agent.ts';
import { onSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';

const hasNo = (what: string): RegExp =>
  new RegExp(`${what}; free some, remove old slots with ralph slots clean`);
const FULL = hasNo('The disk of .* is full, so Ralph made no slot there');

/** Ignored files of which every slot gets a copy. */
function include(root: string): void {
  mkdirSync(join(root, 'secrets'));
  for (let nth = 0; nth < 300; nth++) writeFileSync(join(root, `secrets/${nth}`), '');
  for (const name of ['.gitignore', '.worktreeinclude']) writeFileSync(join(root, name), 'secrets/\n');
}

const addLarge = (root: string): void => writeFileSync(join(root, 'large'), 'x'.repeat(2_000_000));

function addMany(root: string): void {
  for (let nth = 0; nth < 300; nth++) writeFileSync(join(root, `${nth}.txt`), '');
}

/** `isWarm`: nobody asks for room first, because the slot is there already. */
it.for<[name: string, options: string, isWarm: boolean, sentence: RegExp, before: (root: string) => void]>([
  ['one large file fills', 'size=1m', true, hasNo('A slot needs about 202 MB, and .* left'), addLarge],
  ['holds too few files', 'size=1g,nr_inodes=200', false, FULL, addMany],
  ['holds too few ignored files', 'size=1g,nr_inodes=200', false, FULL, include],
])(
  'a slot is removed from a disk that %s, and its task loses nothing',
  async ([, options, isWarm, sentence, before], context) => {
    const reason = whyNoSmallDisk();
    if (reason !== null) return context.skip(reason);
    const { project, config, git } = await scripted({ 1: [[shell('echo hello > hello.txt'), done()]] });
    const { root, home } = project;
    const disk = join(home, 'disk');
    mkdirSync(disk);
    before(root);
    git('add', '.');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Files');
    await config(`slots: { folder: ${JSON.stringify(disk)} }\n`);
    await project.json('add', 'Write hello.txt');
    const slot = join(slotsFolder({}, { root }, { folder: disk }), 'work-1');
    const first = isWarm ? `mkdir -p '${slot}/tree'` : ':';
    const command = ['sh', '-c', `${first}; exec "$@"`, 'sh', process.execPath, inject('ralph'), 'run'];
    const [program = '', ...args] = onSmallDisk(disk, options, command);
    const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
    expect(await run(program, args, { cwd: root, env })).toMatchObject({
      code: 1,
      stderr: '',
      stdout: expect.stringMatching(sentence),
    });
    expect(readFileSync(`${disk}.left`, 'utf8')).not.toMatch(/work-1/);
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0, stuck_count: 0 });
    // With room, the queue goes on where it was.
    expect(await project.within('run', '--once')).toMatchObject({ code: 0 });
    expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  },
);
