import { HAS_POSTGRES } from "../postgres-server.ts";
import { createLogSite, type LogSite } from "./log/log-site.ts";
import { TokenWriters } from "./log/token-writers.ts";
import { createRandom, type Random } from "./random.ts";
import { deadlineAfter, type Outcome, type StressTest, type StressTestOptions } from "./stress-test.ts";

const ROUNDS = 10;
const QUICK_ROUNDS = 1;
const DOCUMENTS = 4;
const CLIENTS = 8;
const LOAD_MS = 1000;
/** Writes resume within this time after PostgreSQL's return. */
const MAX_RESUMPTION_MS = 2000;
const TIMEOUT_MS = 30_000;
const LEASE_MS = 3000;

interface LogFault {
  readonly name: string;
  /** Resolves when the cause is over. */
  inject(site: LogSite, random: Random): Promise<void>;
}

const LOG_FAULTS: readonly LogFault[] = [
  {
    name: "crash of PostgreSQL",
    async inject({ postgres }, random) {
      await postgres.stop("immediate");
      await Bun.sleep(random.below(2 * LEASE_MS));
      await postgres.launch();
    },
  },
  {
    name: "terminated connections",
    async inject({ postgres, database }, random) {
      for (let i = 0; i < 5; i++) {
        await postgres.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = '${database}' and ('x' || left(md5(pid::text || '${random.below(1e6)}'), 2))::bit(8)::int < 128`,
        );
        await Bun.sleep(random.below(100));
      }
    },
  },
  { name: "PostgreSQL paused for 2 s", inject: ({ postgres }) => postgres.pause(2000) },
  { name: "PostgreSQL paused for two leases", inject: ({ postgres }) => postgres.pause(2 * LEASE_MS) },
  {
    name: "server paused for three leases",
    async inject({ server }) {
      process.kill(server.pid, "SIGSTOP");
      await Bun.sleep(3 * LEASE_MS);
      process.kill(server.pid, "SIGCONT");
    },
  },
];

/**
 * Faults of PostgreSQL, and of the server's lease, while clients write to a server with `--log-to`: it does not crash,
 * no acknowledged write is lost, none is applied twice, and writes resume without a restart.
 */
export const logFaults: StressTest = {
  name: "log-faults",
  missing: () => (HAS_POSTGRES ? undefined : "PostgreSQL is not installed (package postgresql)"),
  async run(options) {
    await using site = await createLogSite({ documents: DOCUMENTS });
    return await injectRepeatedly(site, options);
  },
};

async function injectRepeatedly(
  site: LogSite,
  { isQuick, rounds = isQuick ? QUICK_ROUNDS : ROUNDS, minutes, seed }: StressTestOptions,
): Promise<Outcome> {
  const random = createRandom(seed);
  const writers = new TokenWriters({ site, random, clients: CLIENTS, attachments: [] });
  const until = deadlineAfter(minutes);
  const [problems, exceeded]: [string[], string[]] = [[], []];
  const slowest = new Map<string, number>();
  let injected = 0;
  for (let round = 0; round < rounds && performance.now() < until && problems.length === 0; round++) {
    for (const fault of LOG_FAULTS) {
      let isEnded = false;
      const loading = writers.run(() => isEnded);
      await Bun.sleep(LOAD_MS);
      await fault.inject(site, random);
      injected++;
      const ms = await writers.resumed(TIMEOUT_MS);
      isEnded = true;
      await loading;
      if (ms === null) {
        problems.push(`${fault.name}: writes did not resume`, (await site.server.readLog()).slice(-3000));
        break;
      }
      slowest.set(fault.name, Math.max(slowest.get(fault.name) ?? 0, ms));
      if (ms > MAX_RESUMPTION_MS) exceeded.push(`${fault.name}: writes resumed after ${Math.round(ms)} ms`);
      const found = [...writers.problems.splice(0), ...(await writers.verify())];
      problems.push(...found.map((problem) => `${fault.name}: ${problem}`));
    }
  }
  if (problems.length === 0) {
    // What the log has is what the server answered.
    const log = await site.server.kill();
    if (log.includes("had exited already")) problems.push(`the server crashed: ${log.slice(-2000)}`);
    site.wipe();
    await site.start();
    problems.push(...(await writers.verify()), ...(await writers.checkFiles()));
  }
  const times = [...slowest].map(([name, ms]) => `${name}: ${Math.round(ms)} ms`).join(", ");
  const figures = `${injected} faults, ${writers.history.acknowledged} acknowledged writes; slowest resumption after ${times}`;
  return { figures, problems, exceeded };
}
