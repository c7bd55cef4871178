// What an agent does to its repository, or beside it, one row each.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  bash,
  commitAs,
  commitFile,
  committed,
  done,
  type Fault,
  GATE,
  gateOf,
  gitIn,
  hidden,
  write,
} from './fault.ts';

/** The agent is the parent of its shell, and Ralph the parent of the agent. */
const KILL_RALPH = "kill -9 $(awk '/^PPid/ { print $2 }' /proc/$PPID/status)";

/** With one checkout for the person and the session. */
const IN_PLACE = `in_place: true\n${GATE}`;

const FOUR = ['hello.txt', 'sparse.txt', 'excluded.txt', 'same.txt'] as const;

/** Each by another way that makes the git of the agent overlook it. */
const HIDE_FOUR = `touch -d 2020-01-01 same.txt; git update-index -q --refresh
git update-index --skip-worktree hello.txt
echo hello > hello.txt
mkdir -p .git/info; printf '/*\\n!/sparse.txt\\n' > .git/info/sparse-checkout
git config core.sparseCheckout true; git config sparse.expectFilesOutsideOfPatterns true
git update-index --skip-worktree sparse.txt
echo hello > sparse.txt
echo excluded.txt > ~/excludes; git config core.excludesFile ~/excludes
echo hello > excluded.txt
git config core.checkStat minimal; git config core.trustctime false
echo hello > same.txt; touch -d 2020-01-01 same.txt
git status --porcelain > ~/seen`;

const PLANT_NPM = `echo script-shell=/bin/true > ~/.npmrc
mkdir -p ~/.local/bin; printf '#!/bin/sh\\nexit 0\\n' > ~/.local/bin/npm; chmod +x ~/.local/bin/npm
echo draft > draft.txt`;

/** In a history, or beside a repository, that an agent has made its own. */
export const AGAINST_GIT: readonly Fault[] = [
  {
    name: 'prunes every object that no ref holds',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'git gc -q --prune=now'), write, done],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'hides its change by a flag in the index',
    ofAnyAgent: true,
    turns: () => [bash('git update-index --assume-unchanged hello.txt'), write, done],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'hides its file in .git/info/exclude',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'mkdir -p .git/info; echo hello.txt > .git/info/exclude'), write, done],
    config: GATE,
  },
  {
    name: 'hides its changes by skip-worktree, a sparse checkout, excludes and core.checkStat',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, HIDE_FOUR), done],
    // Any change that Ralph overlooked would be missing here.
    config: gateOf(`test $(cat ${FOUR.join(' ')} | grep -c hello) = 4`),
    prepare: (p) => {
      committed(p);
      commitAs(p, { 'sparse.txt': 'other\n', 'same.txt': 'other\n' });
    },
    afterwards: (p) => {
      // Its own git saw none of them.
      expect(readFileSync(join(p.home, 'seen'), 'utf8')).toBe('');
      expect(FOUR.map((file) => gitIn(p)('show', `main:${file}`))).toEqual(FOUR.map(() => 'hello\n'));
    },
  },
  {
    name: 'plants a script-shell in ~/.npmrc and an npm in ~/.local/bin, and changes nothing of the task',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, PLANT_NPM), done],
    config: gateOf('npm test'),
    path: ({ home }) => join(home, '.local/bin'),
    prepare: (p) => {
      committed(p);
      commitAs(p, { 'package.json': '{ "scripts": { "test": "grep hello hello.txt" } }\n' });
    },
  },
  {
    name: "forges a commit with Ralph's trailer",
    ofAnyAgent: true,
    turns: () => [
      bash('git commit -q --allow-empty -m "Done\n\nRalph-Session: $RALPH_SESSION_ID"'),
      write,
      done,
    ],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'leaves a repository of its own behind',
    ofAnyAgent: true,
    turns: () => [bash('mkdir app && echo x > app/x && git init -q app'), write, done],
    config: GATE,
    args: [],
  },
  {
    name: 'leaves a file of 150 MB behind',
    ofAnyAgent: true,
    turns: () => [bash('truncate -s 150M big.bin'), write, done],
    config: GATE,
    args: [],
  },
  {
    name: 'changes a file that is stored through a filter, in place',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: IN_PLACE,
    args: [],
    prepare: (project) => {
      committed(project);
      commitFile(project, '.gitattributes', 'hello.txt filter=lfs\n');
    },
  },
  {
    name: 'a person switches branches meanwhile, in place',
    ofAnyAgent: true,
    turns: () => [write, bash('git switch -q -c topic'), done],
    config: IN_PLACE,
    args: [],
    prepare: committed,
  },
  {
    name: 'removes the repository and makes a new one',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'rm -rf .git && git init -q'), write, done],
    config: GATE,
    args: [],
  },
  {
    name: 'Ralph is killed, and runs again',
    ofAnyAgent: true,
    turns: () => [write, done, bash(KILL_RALPH)],
    config: GATE,
    prepare: committed,
    later: ({ root }) => [root],
  },
  {
    name: 'Ralph is killed, and runs in another work tree',
    ofAnyAgent: true,
    turns: () => [write, done, bash(KILL_RALPH)],
    config: GATE,
    prepare: (project) => {
      committed(project);
      execFileSync('git', ['worktree', 'add', '-q', '../other'], { cwd: project.root });
      cpSync(join(project.root, '.ralph'), join(project.root, '../other/.ralph'), { recursive: true });
    },
    later: ({ root }) => [join(root, '../other')],
  },
  {
    name: 'the gate is ended from outside, twice',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: 'gates: [{ name: test, command: "kill -9 $$" }]\n',
    args: [],
  },
];
