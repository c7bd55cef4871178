// An exported backlog is imported again: its own queue does not change, and an empty queue gets the same tasks.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PRIORITIES, STATUSES } from '../../../src/domain/tasks/task.ts';
import { implementationFormat } from '../../../src/project/exchange/export/implementation.ts';
import { markdownFormat } from '../../../src/project/exchange/export/markdown.ts';
import { applyDefinitions, NO_DEFINITIONS } from '../../../src/queue/definitions/apply-definitions.ts';
import { exportBacklog } from '../../../src/queue/exchange/export-backlog.ts';
import { importBacklog } from '../../../src/queue/exchange/import-backlog.ts';
import { lastEventId } from '../../../src/store/events.ts';
import { withQueue } from '../../support/queue.ts';
import { tries } from '../../support/tries.ts';

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.constantFrom(
      '- [ ] box',
      '# heading',
      '```',
      '<!-- ralph:3 -->',
      '> quote',
      'a\n- [x] b',
      '#1 first',
      'é\u202e日本',
    ),
  )
  .map((value) => `x${value.replaceAll('\0', '')}`);
const title = text.map((value) => value.replace(/\s+/g, ' ').trim());
const list = fc.array(text, { maxLength: 2 });
const feature = fc.constantFrom(null, 'auth', 'billing');

const definitions = fc
  .record({
    features: fc.record({
      description: text,
      priority: fc.option(fc.nat(9)),
      acceptance_criteria: list,
      architecture: fc.option(text),
    }),
    tasks: fc.array(
      fc.record({
        title,
        feature,
        description: fc.option(text),
        priority: fc.constantFrom(...PRIORITIES),
        status: fc.constantFrom(...STATUSES),
        acceptance_criteria: list,
        hints: fc.option(text),
        tags: list,
        estimated_turns: fc.option(fc.integer({ min: 1, max: 99 })),
        earlier: fc.array(fc.nat(9), { maxLength: 2 }),
        parent: fc.option(fc.nat(9)),
      }),
      { minLength: 1, maxLength: 7 },
    ),
  })
  .map(({ features, tasks }) => ({
    ...NO_DEFINITIONS,
    features: ['auth', 'billing'].map((name) => ({ at: 'f', name, fields: features })),
    tasks: tasks.map(({ status, earlier, parent, ...fields }, index) => ({
      at: 't',
      id: index + 1,
      fields: { ...fields, parent: parent === null || index === 0 ? null : (parent % index) + 1 },
      depends_on: [...new Set(index === 0 ? [] : earlier.map((pick) => (pick % index) + 1))].sort(),
      state: { status, ...(status === 'blocked' && { blocked_by: 'somebody' }) },
    })),
  }));

it.each([implementationFormat, markdownFormat])(
  'an export as $source is imported again without a change',
  async (form) => {
    await fc.assert(
      fc.asyncProperty(definitions, (drawn) =>
        withQueue(async (queue) => {
          await applyDefinitions(queue, drawn, 'import');
          const written = await exportBacklog(queue, form);
          expect(await exportBacklog(queue, form)).toBe(written);
          const before = await queue.store.read(lastEventId);
          const report = await importBacklog(queue, form.read(written, 'plan'), 'plan');
          expect(report).toMatchObject({ board: 'ralph', added: 0, updated: 0, problems: [], gone: [] });
          expect(await queue.store.read(lastEventId)).toBe(before);
          if (form === markdownFormat) return;
          await withQueue(async (other) => {
            await importBacklog(other, form.read(written, 'plan'), 'plan');
            expect(timeless(await exportBacklog(other, form))).toBe(timeless(written));
          });
        }),
      ),
      { numRuns: tries(25) },
    );
  },
);

/** A new queue has no session for a task in progress elsewhere, and none of its questions. */
const timeless = (text: string): string =>
  text
    .replace(/"updatedAt": "[^"]*"/, '')
    .replaceAll('"status": "in_progress"', '"status": "pending"')
    .replaceAll('"status": "needs_input"', '"status": "pending"');
