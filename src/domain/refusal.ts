/** An expected failure whose message says what happened and what to do. Anything else that is thrown is a bug. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}

/** Only a person can decide how this task goes on; the message is the question they are asked. */
export class NeedsPerson extends Refusal {}

/** Git or the disk failed, so nothing was proven and nothing refuted; the message says what failed. */
export class MachineFailed extends Refusal {}

/** The state itself cannot be read or written: whatever was asked for may be there all the same. */
export class Unusable extends Refusal {}
