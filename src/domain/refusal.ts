/** An expected failure. Its message says what happened and what to do. Any other error is a bug. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}

/** Only a person can decide how this task continues. The message is the question to that person. */
export class NeedsPerson extends Refusal {}

/** Git or the disk failed, so the work is neither proven nor refuted. The message says what failed. */
export class MachineFailed extends Refusal {}

/** Ralph cannot read or write its state. The requested item may exist nevertheless. */
export class Unusable extends Refusal {}

/** The server of the database does not answer. Nothing was changed, so what was asked for can be tried again. */
export class Unreachable extends Unusable {}

/** The role of this process may only read the database. */
export class NotPermitted extends Unusable {}
