import { statSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../running-server.ts";
import { type Change, readChanges } from "./disk/changes.ts";
import { SimulatedDisk } from "./disk/simulated-disk.ts";
import { unavailableReason, wrapperCommand } from "./disk/shim.ts";
import { createWorkload, type RecoveredState, type Workload, WORKLOAD_SETTINGS } from "./load/workload.ts";
import { createRandom, type Random } from "./random.ts";
import { deadlineAfter, type Outcome, requestsPerRound, type StressTest } from "./stress-test.ts";

const ROUNDS = 50;
const QUICK_ROUNDS = 1;
/** So many power cuts for each load; it is the last one that the next round begins with. */
const CUTS = 3;

/**
 * As durability-kill, but what the next server finds is what a disk may hold after a power cut: what was synced, and of
 * everything else any part. The disk is a model that replays what the server did to its files (disk/).
 */
export const durabilityPower: StressTest = {
  name: "durability-power",
  missing: unavailableReason,
  async run({ isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, minutes, seed }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-trial-power-"));
    try {
      return await cutPowerRepeatedly(new PowerCutSetup(folder), {
        rounds,
        until: deadlineAfter(minutes),
        random: createRandom(seed),
        requests: requestsPerRound({ isQuick }),
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Where the data of the server lies, and the record of what it did. */
class PowerCutSetup {
  readonly data: string;
  readonly log: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.data = join(folder, "data");
    this.log = join(folder, "log");
  }

  start(options: { isRecorded: boolean }) {
    const settings = { ...WORKLOAD_SETTINGS, QUERN_DATA: this.data };
    if (!options.isRecorded) return startServer({ settings });
    return startServer({
      settings,
      under: wrapperCommand(this.#folder, { record: { root: this.data, log: this.log } }),
    });
  }

  /** How far the record is. */
  readonly position = (): number => statSync(this.log).size;

  /** The data becomes what is left of it. */
  async applyPowerCut(disk: SimulatedDisk, random: Random): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    const left = join(this.#folder, "left");
    disk.writeSurvivingState(left, random);
    await rename(left, this.data);
  }
}

async function cutPowerRepeatedly(
  bed: PowerCutSetup,
  { rounds, until, random, requests }: { rounds: number; until: number; random: Random; requests: number },
): Promise<Outcome> {
  const first = await bed.start({ isRecorded: false });
  using world = await createWorkload(first);
  await first.stop();
  const [problems, figures] = [[] as string[], { rounds: 0, cuts: 0, acknowledged: 0, changes: 0 }];
  while (figures.rounds < rounds && performance.now() < until && problems.length === 0) {
    figures.rounds++;
    const disk = new SimulatedDisk(bed.data);
    try {
      const changes = await loadUntilCut(bed, world, { random, requests });
      figures.changes += changes.length;
      figures.acknowledged += world.acknowledged;
      let found: RecoveredState | undefined;
      for (const cut of choosePowerCuts(changes, random)) {
        for (const change of cut.changes) disk.apply(change);
        await bed.applyPowerCut(disk, random);
        figures.cuts++;
        found = await verify(bed, world, cut.position);
      }
      if (found) world.checkpoint(found);
    } catch (error) {
      problems.push(`round ${figures.rounds}: ${(error as Error).message}`);
    }
  }
  const { cuts, acknowledged } = figures;
  return {
    figures: `${cuts} power cuts in ${figures.rounds} rounds, ${acknowledged} acknowledged requests, ${figures.changes} changes of files`,
    problems,
  };
}

/** What happened to the files from the start of a server until it was killed. */
async function loadUntilCut(
  bed: PowerCutSetup,
  world: Workload,
  options: { random: Random; requests: number },
): Promise<Change[]> {
  await rm(bed.log, { force: true });
  const server = await bed.start({ isRecorded: true });
  await world.loadUntilKilled(server, { ...options, position: bed.position });
  return readChanges(await Bun.file(bed.log).bytes());
}

interface PowerCut {
  /** How far the record was. */
  readonly position: number;
  /** What happened since the cut before it. */
  readonly changes: Change[];
}

/** Some moments of the record in their order, the last one its end or one at random as well. */
function choosePowerCuts(changes: readonly Change[], random: Random): PowerCut[] {
  const at = Array.from({ length: CUTS }, () => random.below(changes.length + 1));
  if (random.chance(0.5)) at[0] = changes.length;
  const ends = at.toSorted((a, b) => a - b);
  return ends.map((end, index) => ({
    position: changes[end - 1]?.end ?? 0,
    changes: changes.slice(ends[index - 1] ?? 0, end),
  }));
}

async function verify(bed: PowerCutSetup, world: Workload, position: number): Promise<RecoveredState> {
  const server = await bed.start({ isRecorded: false });
  try {
    const found = await world.verify(server, { data: bed.data, position });
    await server.stop();
    return found;
  } catch (error) {
    const log = await server.kill();
    throw new Error(`cut at ${position}: ${(error as Error).message}\n${log.slice(-3000)}`, { cause: error });
  }
}
