// What a session did, folded from its stream: files, commands and how they ended, errors it met. Bounded, however long it was.
import type { Ran } from '../journal/journal.ts';
import { withoutSecrets } from '../secrets/secret-text.ts';
import { keepable, visible } from '../text/text.ts';
import { answerOf, blocksOf, objectOf, parseLine, textOf } from './stream-json.ts';

export type WorkLog = {
  written: readonly string[];
  read: readonly string[];
  commands: readonly Ran[];
  errors: readonly string[];
};

const MOST = { files: 50, commands: 30, errors: 10 };
const MAX_WORDS = 200;
const WRITES = new Set(['Edit', 'Write', 'NotebookEdit', 'MultiEdit']);

export type WorkListener = { hear(line: string): void; log(): WorkLog };

/** `inside`: a path as the project knows it, or null for one that lies elsewhere. */
export function listenToWork(inside: (path: string) => string | null): WorkListener {
  const [written, read] = [new Set<string>(), new Set<string>()];
  const commands: { command: string; exit: number | null }[] = [];
  const errors = new Set<string>();
  const waiting = new Map<string, (typeof commands)[number]>();

  const used = (name: string, id: string, input: Readonly<Record<string, unknown>>): void => {
    const path = inside(textOf(input['file_path'] ?? input['notebook_path']));
    const into = WRITES.has(name) ? written : name === 'Read' ? read : null;
    if (into !== null && path !== null && into.size < MOST.files) into.add(path);
    if (name !== 'Bash') return;
    const command = { command: shortened(textOf(input['command'])), exit: null };
    // The newest: what a session ran last says most about how it went.
    if (commands.push(command) > MOST.commands) commands.shift();
    waiting.set(id, command);
  };

  const answered = (id: string, isError: boolean, text: string): void => {
    const command = waiting.get(id);
    waiting.delete(id);
    const exit = Number(/^Exit code (\d+)/.exec(text)?.[1] ?? (isError ? Number.NaN : 0));
    if (command !== undefined) command.exit = Number.isNaN(exit) ? null : exit;
    if (isError && errors.size < MOST.errors) errors.add(shortened(text));
  };

  return {
    hear: (line) => {
      const said = parseLine(line);
      if (said === null) return;
      for (const block of blocksOf(said)) {
        if (said['type'] === 'assistant' && block['type'] === 'tool_use')
          used(textOf(block['name']), textOf(block['id']), objectOf(block['input']));
        if (said['type'] === 'user' && block['type'] === 'tool_result')
          answered(textOf(block['tool_use_id']), block['is_error'] === true, answerOf(block['content']));
      }
    },
    log: () => ({
      written: [...written],
      read: [...read].filter((path) => !written.has(path)),
      commands,
      errors: [...errors],
    }),
  };
}

/** One line that gives nothing away: the journal is kept in git. */
export function shortened(text: string, limit: number = MAX_WORDS): string {
  const cut = keepable(text, 4 * limit);
  // Half a key does not look like one.
  const whole = cut.length < text.length ? cut.replace(/\S{1,200}$/, '') : cut;
  const flat = withoutSecrets(visible(whole)).replace(/\s+/g, ' ').trim();
  return flat.length <= limit ? flat : `${keepable(flat, limit - 2)} …`;
}
