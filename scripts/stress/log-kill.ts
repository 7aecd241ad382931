import { HAS_POSTGRES } from "../postgres-server.ts";
import { createLogSite, type LogSite } from "./log/log-site.ts";
import { TokenWriters } from "./log/token-writers.ts";
import { createRandom, type Random } from "./random.ts";
import { deadlineAfter, type Outcome, type StressTest, type StressTestOptions } from "./stress-test.ts";

const ROUNDS = 100;
const QUICK_ROUNDS = 3;
const DOCUMENTS = 4;
const CLIENTS = 8;
/** Acknowledged writes of a round. */
const WRITES = { least: 500, random: 200 };
const QUICK_WRITES = { least: 60, random: 100 };
const MAX_LOAD_MS = 30_000;
const SMALL_ATTACHMENT = 10 * 1024;
const LARGE_ATTACHMENT = 20 * 1024 * 1024;

/** What becomes of the data folder while the server is down. */
const FOLDERS = ["wiped", "kept", "an old copy"] as const;

/**
 * Clients write to documents and the home database of a server with `--log-to` until it is killed at a random moment.
 * Its folder is wiped, kept or replaced by an old copy. The next server must have each acknowledged write once, and each
 * other write at most once.
 */
export const logKill: StressTest = {
  name: "log-kill",
  missing: () => (HAS_POSTGRES ? undefined : "PostgreSQL is not installed (package postgresql)"),
  async run(options) {
    await using site = await createLogSite({ documents: DOCUMENTS });
    return await killRepeatedly(site, options);
  },
};

async function killRepeatedly(
  site: LogSite,
  { isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, minutes, seed, hasLargeAttachments }: StressTestOptions,
): Promise<Outcome> {
  const random = createRandom(seed);
  const attachments = [SMALL_ATTACHMENT, ...(hasLargeAttachments ? [LARGE_ATTACHMENT] : [])];
  const writers = new TokenWriters({ site, random, clients: CLIENTS, attachments });
  const { history } = writers;
  const until = deadlineAfter(minutes);
  const problems: string[] = [];
  const startTimes: number[] = [];
  let round = 0;
  for (; round < rounds && performance.now() < until && problems.length === 0; round++) {
    const { least, random: spread } = isQuick ? QUICK_WRITES : WRITES;
    const log = await loadUntilKilled(writers, site, { random, writes: least + random.below(spread) });
    const folder = FOLDERS[round % FOLDERS.length];
    if (folder === "wiped") site.wipe();
    else if (folder === "kept") site.keepCopy();
    else site.putCopyBack();
    const start = performance.now();
    await site.start();
    startTimes.push(performance.now() - start);
    const found = [...writers.problems.splice(0), ...(await writers.verify()), ...(await writers.checkFiles())];
    if (log.includes("had exited already")) found.push("the server crashed");
    if (found.length > 0) found.push(log.slice(-2000), (await site.server.readLog()).slice(-2000));
    problems.push(...found.map((problem) => `round ${round + 1} (folder: ${folder}): ${problem}`));
  }
  const slowest = Math.max(...startTimes) / 1000;
  const figures = `${round} kills, ${history.acknowledged} acknowledged writes, ${history.unknown} of unknown outcome, slowest start ${slowest.toFixed(1)} s`;
  return { figures, problems };
}

/** Returns the log of the killed server. */
async function loadUntilKilled(
  writers: TokenWriters,
  site: LogSite,
  { random, writes }: { random: Random; writes: number },
): Promise<string> {
  const [enough, until] = [writers.history.acknowledged + writes, performance.now() + MAX_LOAD_MS];
  let isEnded = false;
  const loading = writers.run(() => isEnded);
  while (writers.history.acknowledged < enough && performance.now() < until) await Bun.sleep(1);
  await Bun.sleep(random.below(30));
  const killed = site.server.kill();
  isEnded = true;
  const log = await killed;
  await loading;
  return log;
}
