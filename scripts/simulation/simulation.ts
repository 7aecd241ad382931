import { Violation } from "./checker.ts";
import { Client } from "./clients.ts";
import { Faults } from "./faults.ts";
import { HOME } from "./statements.ts";
import type { Variant } from "./variants.ts";
import { World } from "./world.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly steps: number;
  /** Null for the protocol as it is. */
  readonly variant: Variant | null;
}

export interface SimulationResult {
  /** The violated guarantee; null when all held. */
  readonly violation: string | null;
  /** Steps until the violation, or all. */
  readonly steps: number;
  readonly simulatedMs: number;
  readonly figures: Readonly<Record<string, number>>;
}

const NODES = 3;
const CLIENTS = 4;
/** One client of these only reads. */
const READER = 3;
const WATCH_MS = 500;
/** After all failures ended: time to recover, then every document has to answer within the same time again. */
const RECOVERY_MS = 20_000;

/** Runs one simulation. The same options give the same result. */
export function simulate({ seed, steps, variant }: SimulationOptions): SimulationResult {
  const world = new World(seed, variant);
  const { scheduler, checker } = world;
  const faults = new Faults(world, NODES);
  const clients = Array.from({ length: CLIENTS }, (_, index) => new Client(world, index === READER));
  const watch = () => {
    for (const client of clients) client.tick();
    scheduler.after(WATCH_MS, watch);
  };
  watch();
  let violation: string | null = null;
  try {
    while (scheduler.steps < steps) scheduler.step();
    recover(world, faults);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error.message;
  }
  return { violation, steps: scheduler.steps, simulatedMs: scheduler.nowMs, figures: checker.figures };
}

/** Ends all failures, and checks that the cluster works again without help, has everything, and no orphans. */
function recover(world: World, faults: Faults): void {
  const { scheduler, checker } = world;
  faults.stop();
  world.isRecovering = true;
  const run = (untilMs: number) => {
    while (scheduler.nowMs < untilMs) scheduler.step();
  };
  run(scheduler.nowMs + RECOVERY_MS);
  const sinceMs = scheduler.nowMs;
  run(sinceMs + RECOVERY_MS);
  for (const document of [HOME, ...world.documents]) {
    // A failover may have lost its creation.
    if (!world.database.get(`owner ${document}`)) continue;
    if ((world.answeredAtMs.get(document) ?? 0) < sinceMs) throw new Violation(`${document} did not recover`);
  }
  checker.checkAcknowledged();
  const home = checker.logContent(HOME).documents;
  for (const document of world.swept) {
    const owner = world.database.get(`owner ${document}`);
    if (owner && !home.has(document)) throw new Violation(`${document} was not swept`);
  }
}
