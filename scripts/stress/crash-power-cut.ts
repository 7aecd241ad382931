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
/** Number of power cuts per load; the next round begins with the last one. */
const CUTS = 3;

/**
 * Like durability-kill, but the next server finds a possible disk state after a power cut: all synced changes, and any
 * part of the others. The disk is a model that replays the server's changes to its files (disk/).
 */
export const durabilityPower: StressTest = {
  name: "durability-power",
  missing: unavailableReason,
  async run({ isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, minutes, seed }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-stress-power-"));
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

/** The location of the server's data, and the recording of its changes. */
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

  /** Returns the current position in the recording. */
  readonly position = (): number => statSync(this.log).size;

  /** Replaces the data with a state that survives a power cut. */
  async applyPowerCut(disk: SimulatedDisk, random: Random): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    const left = join(this.#folder, "left");
    disk.writeSurvivingState(left, random);
    await rename(left, this.data);
  }
}

async function cutPowerRepeatedly(
  setup: PowerCutSetup,
  { rounds, until, random, requests }: { rounds: number; until: number; random: Random; requests: number },
): Promise<Outcome> {
  const first = await setup.start({ isRecorded: false });
  using workload = await createWorkload(first);
  await first.stop();
  const [problems, figures] = [[] as string[], { rounds: 0, cuts: 0, acknowledged: 0, changes: 0 }];
  while (figures.rounds < rounds && performance.now() < until && problems.length === 0) {
    figures.rounds++;
    const disk = new SimulatedDisk(setup.data);
    try {
      const changes = await loadUntilCut(setup, workload, { random, requests });
      figures.changes += changes.length;
      figures.acknowledged += workload.acknowledged;
      let found: RecoveredState | undefined;
      for (const cut of choosePowerCuts(changes, random)) {
        for (const change of cut.changes) disk.apply(change);
        await setup.applyPowerCut(disk, random);
        figures.cuts++;
        found = await verify(setup, workload, cut.position);
      }
      if (found) workload.checkpoint(found);
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

/** Returns the changes to the files from the start of a server until it was killed. */
async function loadUntilCut(
  setup: PowerCutSetup,
  workload: Workload,
  options: { random: Random; requests: number },
): Promise<Change[]> {
  await rm(setup.log, { force: true });
  const server = await setup.start({ isRecorded: true });
  await workload.loadUntilKilled(server, { ...options, position: setup.position });
  return readChanges(await Bun.file(setup.log).bytes());
}

interface PowerCut {
  /** Position in the recording. */
  readonly position: number;
  /** Changes since the previous cut. */
  readonly changes: Change[];
}

/** Chooses some positions in the recording, in order; the last one is its end or random. */
function choosePowerCuts(changes: readonly Change[], random: Random): PowerCut[] {
  const at = Array.from({ length: CUTS }, () => random.below(changes.length + 1));
  if (random.chance(0.5)) at[0] = changes.length;
  const ends = at.toSorted((a, b) => a - b);
  return ends.map((end, index) => ({
    position: changes[end - 1]?.end ?? 0,
    changes: changes.slice(ends[index - 1] ?? 0, end),
  }));
}

async function verify(setup: PowerCutSetup, workload: Workload, position: number): Promise<RecoveredState> {
  const server = await setup.start({ isRecorded: false });
  try {
    const found = await workload.verify(server, { data: setup.data, position });
    await server.stop();
    return found;
  } catch (error) {
    const log = await server.kill();
    throw new Error(`cut at ${position}: ${(error as Error).message}\n${log.slice(-3000)}`, { cause: error });
  }
}
