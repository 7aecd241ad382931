import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, startServer } from "../running-server.ts";
import { createWorkload, type RecoveredState, type Workload, WORKLOAD_SETTINGS } from "./load/workload.ts";
import { createRandom } from "./random.ts";
import {
  deadlineAfter,
  type Outcome,
  requestsPerRound,
  type StressTest,
  type StressTestOptions,
} from "./stress-test.ts";

const ROUNDS = 200;
const QUICK_ROUNDS = 2;

/**
 * Clients write to several documents and the home database until the server is killed at a random moment. The next
 * server on the same data must have all acknowledged writes, and every request either completely or not.
 */
export const durabilityKill: StressTest = {
  name: "durability-kill",
  async run({ isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, minutes, seed }) {
    const folder = await mkdtemp(join(tmpdir(), "quern-stress-kill-"));
    try {
      return await killRepeatedly({ isQuick, rounds, minutes, seed }, join(folder, "data"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function killRepeatedly(
  { rounds = 0, minutes, seed, isQuick }: Omit<StressTestOptions, "hasLargeAttachments">,
  data: string,
): Promise<Outcome> {
  const [random, requests] = [createRandom(seed), requestsPerRound({ isQuick })];
  const settings = { ...WORKLOAD_SETTINGS, QUERN_DATA: data };
  let server = await startServer({ settings });
  using workload = await createWorkload(server);
  const problems: string[] = [];
  const until = deadlineAfter(minutes);
  let [acknowledged, round] = [0, 0];
  for (; round < rounds && performance.now() < until && problems.length === 0; round++) {
    let clock = 0;
    try {
      const log = await workload.loadUntilKilled(server, { random, position: () => ++clock, requests });
      acknowledged += workload.acknowledged;
      server = await startServer({ settings });
      workload.checkpoint(await verify(workload, { server, data, log }));
    } catch (error) {
      problems.push(`round ${round + 1}: ${(error as Error).message}`);
    }
  }
  await server.stop();
  return { figures: `${round} kills, ${acknowledged} acknowledged requests`, problems };
}

async function verify(
  workload: Workload,
  { server, data, log }: { server: RunningServer; data: string; log: string },
): Promise<RecoveredState> {
  try {
    return await workload.verify(server, { data, position: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${log.slice(-2000)}`, { cause: error });
  }
}
