// Folds a session's stream into what the agent did: files, commands with exit codes, errors. The size is bounded.
import type { CommandRun } from '../journal/journal.ts';
import { withoutSecrets } from '../secrets/secret-text.ts';
import { keepable, visible } from '../text/text.ts';
import { asObject, asText, blocksOf, parseJsonLine, toolResultText } from './stream-json.ts';

export type WorkLog = {
  written: readonly string[];
  read: readonly string[];
  commands: readonly CommandRun[];
  errors: readonly string[];
};

const MAX = { files: 50, commands: 30, errors: 10 };
const MAX_TEXT = 200;
const WRITES = new Set(['Edit', 'Write', 'NotebookEdit', 'MultiEdit']);

export type WorkLogBuilder = { add(line: string): void; build(): WorkLog };

/** `toProjectPath` returns null for a path outside the project. */
export function buildWorkLog(toProjectPath: (path: string) => string | null): WorkLogBuilder {
  const [written, read] = [new Set<string>(), new Set<string>()];
  const commands: { command: string; exit: number | null }[] = [];
  const errors = new Set<string>();
  const running = new Map<string, (typeof commands)[number]>();

  const addToolUse = (name: string, id: string, input: Readonly<Record<string, unknown>>): void => {
    const path = toProjectPath(asText(input['file_path'] ?? input['notebook_path']));
    const into = WRITES.has(name) ? written : name === 'Read' ? read : null;
    if (into !== null && path !== null && into.size < MAX.files) into.add(path);
    if (name !== 'Bash') return;
    const command = { command: redactedLine(asText(input['command'])), exit: null };
    // Keep the newest: the last commands say most about how the session went.
    if (commands.push(command) > MAX.commands) commands.shift();
    running.set(id, command);
  };

  const addToolResult = (id: string, isError: boolean, text: string): void => {
    const command = running.get(id);
    running.delete(id);
    const exit = Number(/^Exit code (\d+)/.exec(text)?.[1] ?? (isError ? Number.NaN : 0));
    if (command !== undefined) command.exit = Number.isNaN(exit) ? null : exit;
    if (isError && errors.size < MAX.errors) errors.add(redactedLine(text));
  };

  return {
    add: (line) => {
      const json = parseJsonLine(line);
      if (json === null) return;
      for (const block of blocksOf(json)) {
        if (json['type'] === 'assistant' && block['type'] === 'tool_use')
          addToolUse(asText(block['name']), asText(block['id']), asObject(block['input']));
        if (json['type'] === 'user' && block['type'] === 'tool_result')
          addToolResult(
            asText(block['tool_use_id']),
            block['is_error'] === true,
            toolResultText(block['content']),
          );
      }
    },
    build: () => ({
      written: [...written],
      read: [...read].filter((path) => !written.has(path)),
      commands,
      errors: [...errors],
    }),
  };
}

/** One line without secrets, because the journal is committed to git. */
export function redactedLine(text: string, limit: number = MAX_TEXT): string {
  const cut = keepable(text, 4 * limit);
  // Drop the last word of a cut text: half a key is not recognised as a secret.
  const whole = cut.length < text.length ? cut.replace(/\S{1,200}$/, '') : cut;
  const flat = withoutSecrets(visible(whole)).replace(/\s+/g, ' ').trim();
  return flat.length <= limit ? flat : `${keepable(flat, limit - 2)} …`;
}
