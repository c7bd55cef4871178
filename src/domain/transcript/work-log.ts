// Folds a session's stream into what the agent did: files, commands with exit codes, errors. The size is bounded.
import type { CommandRun } from '../journal/journal.ts';
import { withoutSecrets } from '../secrets/secret-text.ts';
import { toStorable, visible } from '../text/text.ts';
import { asText } from './json.ts';
import { parseStreamLine, type ToolResult, type ToolUse, toolPath, WRITE_TOOLS } from './parse.ts';

export type WorkLog = {
  written: readonly string[];
  read: readonly string[];
  commands: readonly CommandRun[];
  errors: readonly string[];
};

const MAX = { files: 50, commands: 30, errors: 10 };
const MAX_TEXT = 200;

type WorkLogBuilder = { add(line: string): void; build(): WorkLog };

/** `toProjectPath` returns null for a path outside the project. */
export function buildWorkLog(toProjectPath: (path: string) => string | null): WorkLogBuilder {
  const [written, read] = [new Set<string>(), new Set<string>()];
  const commands: { command: string; exit: number | null }[] = [];
  const errors = new Set<string>();
  const running = new Map<string, (typeof commands)[number]>();

  const addToolUse = (use: ToolUse): void => {
    const path = toProjectPath(toolPath(use) ?? '');
    const files = WRITE_TOOLS.includes(use.name) ? written : use.name === 'Read' ? read : null;
    if (files !== null && path !== null && files.size < MAX.files) files.add(path);
    if (use.name !== 'Bash') return;
    const command = { command: redactedLine(asText(use.input['command'])), exit: null };
    // Keep the newest: the last commands say most about how the session went.
    if (commands.push(command) > MAX.commands) commands.shift();
    running.set(use.id, command);
  };

  const addToolResult = ({ tool_use_id, is_error, isEndUnknown = false, text }: ToolResult): void => {
    const command = running.get(tool_use_id);
    running.delete(tool_use_id);
    const exit = Number(/^Exit code (\d+)/.exec(text)?.[1] ?? (is_error || isEndUnknown ? Number.NaN : 0));
    if (command !== undefined) command.exit = Number.isNaN(exit) ? null : exit;
    if (is_error && errors.size < MAX.errors) errors.add(redactedLine(text));
  };

  return {
    add: (line) => {
      const { event } = parseStreamLine(line);
      if (event.kind !== 'assistant' && event.kind !== 'user') return;
      for (const block of event.blocks)
        if (block.kind === 'tool_use') addToolUse(block);
        else if (block.kind === 'tool_result') addToolResult(block);
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
  const cut = toStorable(text, 4 * limit);
  // Drop the last word of a cut text: half a key is not recognised as a secret.
  const whole = cut.length < text.length ? cut.replace(/\S{1,200}$/, '') : cut;
  const flat = withoutSecrets(visible(whole)).replace(/\s+/g, ' ').trim();
  return flat.length <= limit ? flat : `${toStorable(flat, limit - 2)} …`;
}
