/** Words of runners and compilers that stand on the line a person looks for first. */
const TELLING =
  /\bnot ok\b|\bFAIL|\bfail(ed|ure|s)?\b|\berror\b|\w(Error|Exception)\b|\bpanic|\bassert|\bexpected\b|[✗✖×]|\bundefined\b|\bmissing\b|\bcannot\b/i;
/** The same words where they say that all is well, or only count. */
const COUNTING = /^\W*(fail(ed|ures?)?|errors?)\W*\d+\W*$|\b(no|0) (fail|error)/i;

/** The first line of a gate's output that says what is wrong, or the last one there is. */
export function usefulLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.find((line) => TELLING.test(line) && !COUNTING.test(line)) ?? lines.at(-1) ?? '';
}
