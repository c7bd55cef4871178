import { Refusal } from '../domain/refusal.ts';

/** A request that is answered with nothing but the reason. */
export class Unserved extends Refusal {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
