/** The candidate that the person probably meant, or null if none is close enough. */
export function closestName(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const best = closestName(word, candidates);
  return best === null ? '' : `; did you mean "${best}"?`;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost one each. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const shorter = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substituted);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = swapped ? Math.min(shorter, (beforePrevious[column - 2] ?? 0) + 1) : shorter;
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
