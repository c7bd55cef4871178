/** An expected failure whose message says what happened and what to do. Anything else that is thrown is a bug. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}

/** The state itself cannot be read or written: whatever was asked for may be there all the same. */
export class Unusable extends Refusal {}
