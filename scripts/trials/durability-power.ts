import { statSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../running-server.ts";
import { type Change, readChanges } from "./disk/changes.ts";
import { Disk } from "./disk/disk.ts";
import { missingForDisk, underDisk } from "./disk/shim.ts";
import { createWorld, type Found, type World, WORLD_SETTINGS } from "./load/world.ts";
import { createRandom, type Random } from "./random.ts";
import { endAfter, type Outcome, roundRequests, type Trial } from "./trial.ts";

const ROUNDS = 50;
const QUICK_ROUNDS = 1;
/** So many power cuts for each load; it is the last one that the next round begins with. */
const CUTS = 3;

/**
 * As durability-kill, but what the next server finds is what a disk may hold after a power cut: what was synced, and of
 * everything else any part. The disk is a model that replays what the server did to its files (disk/).
 */
export const durabilityPower: Trial = {
  name: "durability-power",
  missing: missingForDisk,
  async run({ isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, minutes, seed }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-trial-power-"));
    try {
      return await cutAgainAndAgain(new Bed(folder), {
        rounds,
        until: endAfter(minutes),
        random: createRandom(seed),
        requests: roundRequests({ isQuick }),
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Where the data of the server lies, and the record of what it did. */
class Bed {
  readonly data: string;
  readonly log: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.data = join(folder, "data");
    this.log = join(folder, "log");
  }

  start(options: { isRecorded: boolean }) {
    const settings = { ...WORLD_SETTINGS, QUERN_DATA: this.data };
    if (!options.isRecorded) return startServer({ settings });
    return startServer({ settings, under: underDisk(this.#folder, { record: { root: this.data, log: this.log } }) });
  }

  /** How far the record is. */
  readonly position = (): number => statSync(this.log).size;

  /** The data becomes what is left of it. */
  async lose(disk: Disk, random: Random): Promise<void> {
    await rm(this.data, { recursive: true, force: true });
    const left = join(this.#folder, "left");
    disk.survive(left, random);
    await rename(left, this.data);
  }
}

async function cutAgainAndAgain(
  bed: Bed,
  { rounds, until, random, requests }: { rounds: number; until: number; random: Random; requests: number },
): Promise<Outcome> {
  const first = await bed.start({ isRecorded: false });
  using world = await createWorld(first);
  await first.stop();
  const [problems, figures] = [[] as string[], { rounds: 0, cuts: 0, acknowledged: 0, changes: 0 }];
  while (figures.rounds < rounds && performance.now() < until && problems.length === 0) {
    figures.rounds++;
    const disk = new Disk(bed.data);
    try {
      const changes = await loadUntilCut(bed, world, { random, requests });
      figures.changes += changes.length;
      figures.acknowledged += world.acknowledged;
      let found: Found | undefined;
      for (const cut of cutsOf(changes, random)) {
        for (const change of cut.changes) disk.apply(change);
        await bed.lose(disk, random);
        figures.cuts++;
        found = await verify(bed, world, cut.position);
      }
      if (found) world.settle(found);
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
async function loadUntilCut(bed: Bed, world: World, options: { random: Random; requests: number }): Promise<Change[]> {
  await rm(bed.log, { force: true });
  const server = await bed.start({ isRecorded: true });
  await world.loadUntilKilled(server, { ...options, position: bed.position });
  return readChanges(await Bun.file(bed.log).bytes());
}

interface Cut {
  /** How far the record was. */
  readonly position: number;
  /** What happened since the cut before it. */
  readonly changes: Change[];
}

/** Some moments of the record in their order, the last one its end or one at random as well. */
function cutsOf(changes: readonly Change[], random: Random): Cut[] {
  const at = Array.from({ length: CUTS }, () => random.below(changes.length + 1));
  if (random.chance(0.5)) at[0] = changes.length;
  const ends = at.toSorted((a, b) => a - b);
  return ends.map((end, index) => ({
    position: changes[end - 1]?.end ?? 0,
    changes: changes.slice(ends[index - 1] ?? 0, end),
  }));
}

async function verify(bed: Bed, world: World, position: number): Promise<Found> {
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
