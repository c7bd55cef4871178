// The fixture project in a folder of its own, with a history: two tasks done, one retried after a failed gate, one question answered.
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type GatherInput, gather } from '../../src/context/gather.ts';
import type { PromptContext } from '../../src/domain/context.ts';
import { definitionFiles } from '../../src/project/definitions/definition-files.ts';
import { readDefinitions } from '../../src/project/definitions/read-definitions.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { applyDefinitions } from '../../src/queue/definitions/apply-definitions.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { answer } from '../../src/queue/tasks/answer.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from './queue.ts';
import { tempDir } from './temp.ts';

export type Webshop = {
  root: string;
  queue: Queue;
  contextOf: (input: GatherInput) => Promise<PromptContext>;
};

export async function webshop(): Promise<Webshop> {
  const root = join(tempDir(), 'webshop');
  cpSync('test/fixtures/webshop', root, { recursive: true });
  renameSync(join(root, 'dot-env'), join(root, '.env'));
  const queue = await openTestQueue();
  await applyDefinitions(queue, await readDefinitions(root, definitionFiles(root)), 'sync');
  await playHistory(queue);
  const contextOf = async (input: GatherInput) =>
    gather(
      {
        store: queue.store,
        root,
        title: 'webshop',
        config: await readConfig(root),
        changesOf: async () => null,
        changesIn: async () => null,
        listFiles: async () => null,
        embedder: null,
      },
      input,
    );
  return { root, queue, contextOf };
}

async function playHistory(queue: Queue): Promise<void> {
  const passing = { effects: effectsWith(gateResult(true)) };
  // Priority decides who is first: 4 is high, but waits for 1 and 2.
  await runSession(
    queue,
    [{ verb: 'done', summary: 'scrypt with a salt a password; verify() compares in constant time.' }],
    passing,
  );
  await runSession(
    queue,
    [
      {
        verb: 'learned',
        text: 'The sessions table is cleaned by a nightly job, not by triggers.',
        kind: 'discovery',
        scope: 'feature',
      },
      {
        verb: 'learned',
        text: 'Run the tests with NODE_ENV=test, or mails are sent.',
        kind: 'gotcha',
        rationale: 'the mailer looks at it',
        scope: 'project',
      },
      {
        verb: 'done',
        summary: 'Sessions in the table sessions; openSession() and closeSession() in src/auth.ts.',
      },
    ],
    passing,
  );
  await runSession(
    queue,
    [
      {
        verb: 'ask',
        question: 'Count failures by account or by address?',
        blocking: true,
        options: ['account', 'address'],
      },
      {
        verb: 'partial',
        summary: 'The table is there.',
        remaining: 'Everything that depends on what is counted.',
      },
    ],
    passing,
  );
  await answer(queue, 1, 'By account; addresses are shared.');
  await runSession(
    queue,
    [
      {
        verb: 'flag',
        what: 'Two migrations have the same number.',
        severity: 'blocking',
        category: 'contradiction',
      },
      { verb: 'done', summary: 'Limited.' },
    ],
    {
      effects: effectsWith(gateResult(false)),
    },
  );
}
