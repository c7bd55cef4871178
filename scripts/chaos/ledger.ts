// What the harness itself has seen, written outside of the project: Ralph's own records are compared with it.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A verb whose answer an agent has received. */
export type Acknowledged = { task: number; session: string; verb: string; nonce: string; honest: boolean };

/** `isCollision`: work that is green apart and red together. */
export type GateSeen = { event: 'begun' } | { event: 'pass' | 'fail'; tree: string; isCollision: boolean };

const ACKNOWLEDGED = 'acknowledged.jsonl';
const GATES = 'gates.log';

export function acknowledge(folder: string, entry: Acknowledged): void {
  appendFileSync(join(folder, ACKNOWLEDGED), `${JSON.stringify(entry)}\n`);
}

export const readAcknowledged = (folder: string): Acknowledged[] =>
  readLines(join(folder, ACKNOWLEDGED)).map((line): Acknowledged => JSON.parse(line));

export const readGates = (folder: string): GateSeen[] =>
  readLines(join(folder, GATES)).map((line) => {
    const [event = '', tree = '', why] = line.split(' ');
    return event === 'pass' || event === 'fail'
      ? { event, tree, isCollision: why === 'collision' }
      : { event: 'begun' };
  });

/** While this file is there no agent takes its next step: only what ends an agent ends it. */
export const holdFile = (folder: string): string => join(folder, 'hold');

/** A line that is just being written is not there yet. */
function readLines(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

/**
 * A gate that checks the work, and writes down which tree it saw: the tree that Ralph must have seen, too. Its objects go
 * elsewhere: in the repository they would keep alive what only Ralph may keep alive.
 */
export const GATE = `
set -e
folder=$1
echo begun >> "$folder/${GATES}"
cp "$(git rev-parse --git-dir)/index" "$folder/index-$$"
export GIT_INDEX_FILE="$folder/index-$$"
export GIT_ALTERNATE_OBJECT_DIRECTORIES="$(git rev-parse --path-format=absolute --git-common-dir)/objects"
export GIT_OBJECT_DIRECTORY="$folder/objects"
mkdir -p "$GIT_OBJECT_DIRECTORY"
git add --all -- . ':(exclude,glob).ralph/**'
# As a test does that leaves its server running; not in a fresh clone, where nobody would end it.
[ "$3" = clone ] || setsid sleep 300 </dev/null >/dev/null 2>&1 &
tree=$(git write-tree)
rm -f "$GIT_INDEX_FILE"
sleep "$2"
verdict=pass
for file in work/*.txt; do
  if [ -e "$file" ] && [ "$(tail -n 1 "$file")" = bad ]; then verdict=fail; echo "$file is bad"; fi
done
for number in $(cat claims/*.txt 2>/dev/null | sort | uniq -d); do
  verdict=fail; tree="$tree collision"; echo "two tasks have the number $number"
done
echo "$verdict $tree" >> "$folder/${GATES}"
[ $verdict = pass ]
`;
