import { findProject } from '../../host/project.ts';
import { type HookAnswer, LET_GO } from './hook.ts';

/** What reaches for Ralph's own files is refused; deny rules do not see through a shell line. */
export function guard(input: string, root: string): HookAnswer {
  const { tool_input: given = {} } = parse(input);
  const words = [given['command'], given['file_path'], given['notebook_path']].filter(
    (word) => typeof word === 'string',
  );
  const { stateDir } = findProject(root);
  const isOff = words.some((word) => OFF_LIMITS.test(word) || word.includes(stateDir));
  return isOff
    ? {
        exitCode: 2,
        text: "Ralph's own files, and what would remove them, are off limits. Say what you have to say through the verbs.\n",
      }
    : LET_GO;
}

// A shell line that only reads is refused as well: nobody can tell by its words. To read a file there is a tool.
const OFF_LIMITS = /(^|[\s'"=/;&|(])\.ralph(\/|\b)|\bgit\s+clean\s+(-\w*[xX]\w*|.*\s-\w*[xX])|\.git\/ralph\b/;

function parse(input: string): { tool_input?: Record<string, unknown> } {
  try {
    const asked: unknown = JSON.parse(input);
    return typeof asked === 'object' && asked !== null ? asked : {};
  } catch {
    return {};
  }
}
