// A person who works in their checkout while sessions work in slots, and who knows what they have written, staged and committed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Random } from '../../scripts/chaos/random.ts';
import type { ScriptedProject } from '../support/scripted-agent.ts';

export const SHARED = 'shared.txt';
const OWN = ['tracked.txt', 'notes.txt', 'draft.txt'] as const;
const LINES_OF_PERSON = 8;

const HAPPENED = 'happened';

type Act = { shell: string; happened(): void };

export class Person {
  private readonly contents = new Map<string, string>();
  private readonly lines = new Map<number, string>();
  private readonly staged = new Map<string, string>();
  private readonly commits: string[] = [];
  private readonly waiting: { file: string; acts: Act[] }[] = [];
  private words = 0;
  private readonly made: ScriptedProject;
  private readonly random: Random;

  constructor(made: ScriptedProject, random: Random) {
    this.made = made;
    this.random = random;
  }

  /** At this moment. */
  actNow(most: number): void {
    for (let count = this.random.between(0, most); count > 0; count--) {
      const act = this.anyAct();
      this.run(act.shell);
      act.happened();
    }
  }

  /** When somebody runs this file of the home: a gate, or a session. */
  actLater(file: string, acts: Act[]): void {
    const { home, root } = this.made.project;
    const lines = [
      `cd '${root}'`,
      ...acts.map(({ shell }) => shell),
      `echo ${file} >> '${home}/${HAPPENED}'`,
    ];
    writeFileSync(join(home, file), `${lines.join('\n')}\n`);
    this.waiting.push({ file, acts });
  }

  /** Takes note of what has happened since, in its order; the rest will not happen any more. */
  settle(): void {
    const { home } = this.made.project;
    const log = join(home, HAPPENED);
    const happened = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
    const waiting = this.waiting.splice(0);
    for (const name of happened)
      for (const act of waiting.find(({ file }) => file === name)?.acts ?? []) act.happened();
    for (const file of [HAPPENED, ...waiting.map((later) => later.file)])
      rmSync(join(home, file), { force: true });
  }

  anyAct(): Act {
    const choices = [() => this.write(), () => this.editShared(), () => this.stage(), () => this.commit()];
    return (choices[this.random.between(0, choices.length - 1)] ?? choices[0])?.() ?? this.write();
  }

  /** As somebody does who finishes what they begin. */
  writeAndCommit(): Act[] {
    const written = this.write(OWN[0]);
    const subject = `PERSON ${++this.words}`;
    const shell = `git add ${OWN[0]}; git commit -qm "${subject}" -- ${OWN[0]}`;
    const happened = () => {
      this.staged.delete(OWN[0]);
      this.commits.push(subject);
    };
    return [written, { shell, happened }];
  }

  private write(file: string = OWN[this.random.between(0, OWN.length - 1)] ?? OWN[0]): Act {
    const text = `PERSON ${++this.words}`;
    return {
      shell: `echo "${text}" > ${file}`,
      happened: () => void this.contents.set(file, `${text}\n`),
    };
  }

  private editShared(): Act {
    const [at, text] = [this.random.between(1, LINES_OF_PERSON), `PERSON ${++this.words}`];
    return { shell: `sed -i "${at}s/.*/${text}/" ${SHARED}`, happened: () => void this.lines.set(at, text) };
  }

  private stage(): Act {
    const files = [...this.contents.keys()];
    const file = files[this.random.between(0, files.length - 1)];
    if (file === undefined) return this.write();
    return {
      shell: `git add ${file}`,
      happened: () => void this.staged.set(file, this.contents.get(file) ?? ''),
    };
  }

  private commit(): Act {
    if (this.staged.size === 0) return this.stage();
    const subject = `PERSON ${++this.words}`;
    const happened = () => {
      this.staged.clear();
      this.commits.push(subject);
    };
    return { shell: `git commit -q --allow-empty -m "${subject}"`, happened };
  }

  private run(line: string): void {
    const env = { HOME: this.made.project.home, PATH: process.env['PATH'] };
    execFileSync('sh', ['-c', line], { cwd: this.made.project.root, env });
  }

  /** All they have written is where it was, and none of it is in a commit of Ralph's. */
  expectUntouched(): void {
    const { git, project } = this.made;
    const read = (file: string) => readFileSync(join(project.root, file), 'utf8');
    for (const [file, text] of this.contents) expect(read(file), file).toBe(text);
    const shared = read(SHARED).split('\n');
    for (const [at, text] of this.lines) expect(shared[at - 1], `line ${at} of ${SHARED}`).toBe(text);
    for (const [file, text] of this.staged) expect(git('show', `:${file}`), `staged ${file}`).toBe(text);
    const subjects = git('log', '--format=%s').split('\n');
    expect(subjects.filter((subject) => subject.startsWith('PERSON'))).toEqual([...this.commits].reverse());
    const ralphs = git('log', '--format=%x00%s', '-U0', '-p', '--grep=^Ralph-Session: ').split('\0');
    for (const patch of ralphs) expect(patch).not.toMatch(/^[+-].*PERSON/m);
  }
}
