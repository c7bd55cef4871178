// What the words of a tool call tell about Ralph's own files. It sees only what stands in the call: a script can do anything.

const OFF_LIMITS = /(^|[\s'"=/;&|(])\.ralph(\/|\b)|\bgit\s+clean\s+(-\w*[xX]\w*|.*\s-\w*[xX])|\.git\/ralph\b/;

/** True if the words name a file of Ralph's, or would remove one. */
export const isOffLimits = (words: string, stateDir: string): boolean =>
  OFF_LIMITS.test(words) || words.includes(stateDir);

/** As `isOffLimits`, for a shell line, which may read the specifications in `.ralph/specs`. */
export const isShellOffLimits = (line: string, stateDir: string): boolean =>
  isOffLimits(isReading(line) ? line.replace(SPECS, 'specs') : line, stateDir);

/** Not where the rest of the path leads out of the folder again. */
const SPECS = /\.ralph\/specs(?![\w.-])(?!\S*\.\.)/g;

/** Programs that write nothing, and what must not stand beside the others. No `cd`: later lines would not name the folder. */
const READERS: Readonly<Record<string, RegExp | null>> = {
  cat: null,
  diff: null,
  egrep: null,
  fgrep: null,
  file: null,
  find: /-(delete|exec|ok|fprint|fls)/,
  grep: null,
  head: null,
  ls: null,
  nl: null,
  rg: /--pre\b/,
  sed: /^(?!.*\s-n\s)|\s(-\w*i|--in-place)|w\s/,
  stat: null,
  tail: null,
  wc: null,
};

/** Whether a shell line consists of readers alone. In doubt it does not: the agent has a tool to read files, too. */
function isReading(line: string): boolean {
  const quiet = line.replace(/\d?>\s*\/dev\/null\b|2>&1/g, '');
  if (/[>`]|\$\(|<\(/.test(quiet)) return false;
  return quiet.split(/[|;&\n]+/).every((part) => {
    const [program = ''] = part.trim().split(/\s/);
    if (!Object.hasOwn(READERS, program)) return part.trim() === '';
    return !(READERS[program]?.test(part) ?? false);
  });
}
