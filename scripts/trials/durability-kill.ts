import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../running-server.ts";
import { createWorld, WORLD_SETTINGS } from "./load/world.ts";
import { createRandom } from "./random.ts";
import type { Outcome, Trial, TrialOptions } from "./trial.ts";

const ROUNDS = 200;
const QUICK_ROUNDS = 2;
const LOAD_MS = 2000;

/**
 * Clients write to several documents and the home database until the server is killed at a random moment. The next one,
 * on the same data, has to hold what was acknowledged, and every request whole or not at all.
 */
export const durabilityKill: Trial = {
  name: "durability-kill",
  async run({ isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, seed }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-trial-kill-"));
    try {
      return await killAgainAndAgain({ isQuick, rounds, seed }, join(folder, "data"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function killAgainAndAgain({ rounds = 0, seed }: TrialOptions, data: string): Promise<Outcome> {
  const random = createRandom(seed);
  const settings = { ...WORLD_SETTINGS, QUERN_DATA: data };
  let server = await startServer({ settings });
  using world = await createWorld(server);
  const problems: string[] = [];
  let [acknowledged, round] = [0, 0];
  for (; round < rounds && problems.length === 0; round++) {
    let clock = 0;
    const loading = world.load(server, { random, position: () => ++clock });
    await Promise.race([loading, Bun.sleep(random.below(LOAD_MS))]);
    const log = await server.kill();
    await loading;
    acknowledged += world.acknowledged;
    server = await startServer({ settings });
    try {
      const found = await world.verify(server, { data, position: Number.POSITIVE_INFINITY });
      world.settle(found);
    } catch (error) {
      problems.push(`round ${round + 1}: ${(error as Error).message}\n${log.slice(-2000)}`);
    }
  }
  await server.stop();
  return { figures: `${round} kills, ${acknowledged} acknowledged requests`, problems };
}
