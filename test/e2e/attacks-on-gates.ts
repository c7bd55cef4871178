// Attacks on what the gates execute. Each gate of the scene is red for the attacker's work, and each of these would make one green.
import { join } from 'node:path';
import { type Aftermath, type Attack, type AttackScene, NEVER, ONLY_OFF } from './attack.ts';

/** What each gate does, by whatever way. */
export const PROOF = 'test ! -e attacked.txt';

export const GATES = `slots: { setup: "mkdir -p node_modules && echo '${PROOF}' > node_modules/judge.sh" }
gates:
  - { name: script, command: sh proof.sh }
  - { name: modules, command: sh node_modules/judge.sh }
  - { name: home, command: sh ~/.proof.sh }
  - { name: tool, command: proof-tool }
  - { name: check, command: "${PROOF}" }
`;

const isFooled =
  (name: string) =>
  (_: AttackScene, { gate }: Aftermath): boolean =>
    gate(name) !== false;

const overwriteAll = (folders: readonly string[], name: string): string =>
  `for f in $(find ${folders.join(' ')} -name ${name}); do echo true > "$f"; done`;

const slotsOf = ({ ralphState }: AttackScene): string => join(ralphState, 'slots');

export const ON_GATES: readonly Attack[] = [
  {
    name: 'script of a gate',
    what: "rewrites the script behind a gate, in the person's checkout and in the slot of the gates",
    command: (scene) =>
      overwriteAll([scene.root, `$(find ${slotsOf(scene)} -name 'gates-*' -type d)`], 'proof.sh'),
    succeeded: isFooled('script'),
    outcome: NEVER,
  },
  {
    name: 'modules of a gate',
    what: 'rewrites `node_modules` in the slot of the gates',
    command: (scene) => overwriteAll([`$(find ${slotsOf(scene)} -name node_modules -type d)`], 'judge.sh'),
    succeeded: isFooled('modules'),
    outcome: NEVER,
  },
  {
    name: 'home of a gate',
    what: "rewrites a setting in the person's home and in the home of the gates",
    command: ({ home }) => overwriteAll([home], '.proof.sh'),
    succeeded: isFooled('home'),
    // Gates of the same run do not use it, but the next run makes their home anew from the person's.
    outcome: ONLY_OFF,
  },
  {
    name: 'tool of a gate',
    what: 'overwrites a program in `~/.local/bin` that the gates run',
    command: ({ home }) => overwriteAll([join(home, '.local/bin')], 'proof-tool'),
    succeeded: isFooled('tool'),
    outcome: ONLY_OFF,
  },
];
