/** The nearest first, as many as asked for. Vectors of another length are of another model and left out. */
export function nearest(
  to: Float32Array,
  among: readonly { id: number; vector: Float32Array }[],
  limit: number,
): number[] {
  const length = norm(to);
  return among
    .flatMap(({ id, vector }) =>
      vector.length === to.length ? [{ id, score: dot(to, vector) / (length * norm(vector) || 1) }] : [],
    )
    .sort((left, right) => right.score - left.score || right.id - left.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}

const norm = (vector: Float32Array): number => Math.sqrt(dot(vector, vector));
