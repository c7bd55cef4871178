// Globs that people and agents write. They are matched on the event loop, so no pattern may take long: picomatch matches
// one segment at a time, with few wildcards in it, and `**` is matched here with at most one point to backtrack to.
import picomatch from 'picomatch';

const MAX_STARS_A_SEGMENT = 3;
const MAX_ALTERNATIVES = 64;
/** Extended globs (`*(a|b)`) are literal text; braces are expanded before. */
const OPTIONS = { dot: true, noextglob: true, nobrace: true };

export const isGlob = (pattern: string): boolean => picomatch.scan(pattern).isGlob;

/** The folder of everything that the pattern can match. */
export const globBase = (pattern: string): string => picomatch.scan(pattern).base;

/** Why Ralph refuses a glob, or null. */
export function patternProblem(pattern: string): string | null {
  const alternatives = expandBraces(pattern);
  if (alternatives === null) return 'too many alternatives';
  const crowded = alternatives
    .flatMap((one) => one.split('/'))
    .some((segment) => segment !== '**' && (segment.match(/\*+/g)?.length ?? 0) > MAX_STARS_A_SEGMENT);
  return crowded ? 'too many wildcards' : null;
}

export function matcher(pattern: string): (path: string) => boolean {
  if (patternProblem(pattern) !== null) return () => false;
  const matchers = (expandBraces(pattern) ?? []).map(segmentMatcher);
  return (path) => {
    const segments = path.split('/');
    return matchers.some((matches) => matches(segments));
  };
}

type Segment = '**' | ((segment: string) => boolean);

function segmentMatcher(pattern: string): (segments: readonly string[]) => boolean {
  const parts = pattern.split('/').map((part): Segment => (part === '**' ? part : picomatch(part, OPTIONS)));
  return (segments) => {
    let [part, at] = [0, 0];
    let restart: { part: number; at: number } | null = null;
    while (at < segments.length) {
      const wanted = parts[part];
      if (wanted === '**') {
        restart = { part: part + 1, at };
        part += 1;
      } else if (wanted?.(segments[at] ?? '')) {
        part += 1;
        at += 1;
      } else if (restart !== null) {
        // The last `**` takes one segment more; an earlier one need not, because this one could have taken it.
        restart.at += 1;
        [part, at] = [restart.part, restart.at];
      } else return false;
    }
    return parts.slice(part).every((rest) => rest === '**');
  };
}

/** Expands `{a,b}`, one group at a time; null if there are too many alternatives. */
function expandBraces(pattern: string): string[] | null {
  let alternatives = [pattern];
  for (;;) {
    const next = alternatives.flatMap((one) => {
      const group = /\{([^{}]*,[^{}]*)\}/.exec(one);
      if (group === null) return [one];
      const [before, after] = [one.slice(0, group.index), one.slice(group.index + group[0].length)];
      return (group[1] ?? '').split(',').map((choice) => `${before}${choice}${after}`);
    });
    if (next.length > MAX_ALTERNATIVES) return null;
    if (next.length === alternatives.length) return next;
    alternatives = next;
  }
}
