// A round of a fleet, drawn from its seed.
import { type PlannedWork, planTasks } from '../plan.ts';
import { seeded } from '../random.ts';
import { type FleetDisturbance, type FleetVictim, planFleetDisturbance } from './disturbance.ts';

export type PlannedMachine = {
  /** How far its clock is from that of the database. */
  clockHours: number;
  jobs: number;
};

export type FleetPlan = PlannedWork & { machines: PlannedMachine[]; disturbances: FleetDisturbance[] };

export type FleetPlanOptions = {
  /** How many machines; drawn from the seed where it is left out. */
  machines?: number;
  /** As much as a test can wait for. */
  small?: boolean;
  only?: readonly FleetVictim[];
};

const FEWEST_MACHINES = 3;

export function planFleetRound(
  seed: number,
  { machines: asked, small = false, only = [] }: FleetPlanOptions = {},
): FleetPlan {
  const random = seeded(seed);
  const count = asked ?? (small ? 2 : random.pick([3, 3, 3, 3, 4, 4, 5, 8]));
  const machines = Array.from(
    { length: count },
    (): PlannedMachine => ({
      clockHours: random.pick([0, 1, -1]),
      jobs: small ? 1 : random.pick([1, 1, 2]),
    }),
  );
  const tasks = planTasks(random, { count: small ? 2 : random.between(count, count + 1), seed });
  const disturbances = Array.from({ length: small ? 1 : random.between(2, 4) }, () =>
    planFleetDisturbance(random, count, only),
  );
  const gateMs = random.between(100, 400);
  return { seed, claude: false, jobs: FEWEST_MACHINES, gateMs, tasks, machines, disturbances };
}
