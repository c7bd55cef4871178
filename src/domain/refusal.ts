/** An expected failure whose message says what happened and what to do. Anything else that is thrown is a bug. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
