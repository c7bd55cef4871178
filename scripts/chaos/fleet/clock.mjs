// Loaded before Ralph: sets the clock of this process wrong by the hours in its environment.
const shiftMs = Number(process.env['RALPH_CHAOS_HOURS'] ?? 0) * 3_600_000;
const { now } = Date;

class ShiftedDate extends Date {
  constructor(...given) {
    if (given.length === 0) super(now() + shiftMs);
    else super(...given);
  }
  static now() {
    return now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate;
