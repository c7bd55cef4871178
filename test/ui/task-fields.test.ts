import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EFFORTS, PRIORITIES, TASK_KINDS } from '../../src/domain/tasks/task.ts';
import { FIELD_NAMES, type Fields, formatFields, readChanges } from '../../web/parts/task-fields.ts';

/** Lines as people write them; an item may have several. */
const line = fc.constantFrom('a', 'b c', '#3', 'x,y', 'über');
const item = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'));
const items = fc.array(item, { maxLength: 3 });
const number = fc.integer({ min: 1, max: 1_000_000 });
const fields: fc.Arbitrary<Fields> = fc.record({
  title: line,
  description: fc.option(item),
  feature: fc.option(line),
  discipline: fc.option(line),
  priority: fc.constantFrom(...PRIORITIES),
  kind: fc.constantFrom(...TASK_KINDS),
  depends_on: fc.uniqueArray(number, { maxLength: 3 }),
  agent: fc.option(line),
  model: fc.option(line),
  effort: fc.option(fc.constantFrom(...EFFORTS)),
  acceptance_criteria: items,
  context_files: items,
  hints: fc.option(item),
  estimated_turns: fc.option(number),
  parent: fc.option(number),
  tags: items,
  needs: items,
  output_artifacts: items,
  pseudocode: fc.option(item),
});

it('an edit says what the form says: what differs, what was seen of it, and nothing else', () => {
  fc.assert(
    fc.property(fields, fields, (seen, wanted) => {
      const said = readChanges(seen, formatFields(wanted));
      const differing = FIELD_NAMES.filter(
        (name) => JSON.stringify(seen[name]) !== JSON.stringify(wanted[name]),
      );
      expect({ ...seen, ...said.changed }).toEqual(wanted);
      expect(Object.keys(said.changed)).toEqual(differing);
      expect({ ...wanted, ...said.seen }).toEqual(seen);
      expect(said.problem).toBeNull();
    }),
  );
});
