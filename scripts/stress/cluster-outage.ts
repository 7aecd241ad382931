import { type ClusterSite, clusterMissing, startClusterSite } from "../cluster/cluster-site.ts";
import { LEASE_MS } from "./cluster/cluster-faults.ts";
import { createTokenSite } from "./cluster/cluster-token-site.ts";
import { checkWritersOfEpochs, recordWritersOfEpochs } from "./cluster/writers-of-epochs.ts";
import { TokenWriters } from "./log/token-writers.ts";
import { createRandom } from "./random.ts";
import type { Outcome, StressTest, StressTestOptions } from "./stress-test.ts";

const NODES = 3;
const DOCUMENTS = 6;
const CLIENTS = 12;
const AWAY_MS = 60_000;
const QUICK_AWAY_MS = 10_000;
const LOAD_MS = 2000;
const MAX_RESUMPTION_MS = 2000;
const TIMEOUT_MS = 30_000;
const READ_INTERVAL_MS = 20;
/** The safety margin of a lease, and how long a lease has run at most when PostgreSQL goes away. */
const MIN_READS_MS = LEASE_MS - 500 - 1000 - 500;

/**
 * PostgreSQL is away for a minute: no node crashes, owners answer reads until their leases end and refuse them
 * afterwards, and writes resume without a restart.
 */
export const clusterOutage: StressTest = {
  name: "cluster-outage",
  missing: clusterMissing,
  async run(options) {
    await using site = await startClusterSite({ nodes: NODES });
    await recordWritersOfEpochs(site);
    return await takeAway(site, options);
  },
};

async function takeAway(site: ClusterSite, { isQuick, seed }: StressTestOptions): Promise<Outcome> {
  const random = createRandom(seed);
  const tokens = await createTokenSite(site, { documents: DOCUMENTS, random });
  // Reads of a document whose last write is not in the log yet wait for it: other documents are read.
  const { documents } = await createTokenSite(site, { documents: NODES, random });
  await site.spread([...tokens.documents, ...documents]);
  const writers = new TokenWriters({ site: tokens, random, clients: CLIENTS, attachments: [] });
  let isEnded = false;
  const loading = writers.run(() => isEnded);
  await Bun.sleep(LOAD_MS);
  const readers = await Promise.all(documents.map(async (doc) => new Reader(site, doc, await site.ownerOf(doc))));
  const reading = Promise.all(readers.map((reader) => reader.run(() => isEnded)));
  await Bun.sleep(LOAD_MS);

  const before = writers.history.acknowledged;
  await site.postgres.stop("immediate");
  const stoppedAt = performance.now();
  // Answers of appends that PostgreSQL committed are still in flight.
  await Bun.sleep(1000);
  const early = writers.history.acknowledged;
  await Bun.sleep((isQuick ? QUICK_AWAY_MS : AWAY_MS) - 1000);
  const problems: string[] = [];
  if (writers.history.acknowledged > early) problems.push("writes were acknowledged without PostgreSQL");
  const until = readers.map(({ lastAt }) => lastAt - stoppedAt);
  for (const node of site.nodes) if (!node.isRunning) problems.push(`${node.name} exited: ${await node.readLog()}`);
  await site.postgres.launch();
  const resumedMs = await writers.resumed(TIMEOUT_MS);
  isEnded = true;
  await Promise.all([loading, reading]);

  const exceeded: string[] = [];
  if (resumedMs === null) problems.push("writes did not resume");
  else if (resumedMs > MAX_RESUMPTION_MS) exceeded.push(`writes resumed after ${Math.round(resumedMs)} ms`);
  const [shortest, longest] = [Math.min(...until), Math.max(...until)];
  if (longest > LEASE_MS) problems.push(`reads were answered for ${Math.round(longest)} ms without a lease`);
  if (shortest < MIN_READS_MS) exceeded.push(`reads were answered for only ${Math.round(shortest)} ms`);
  problems.push(...readers.flatMap((reader) => reader.problems), ...writers.problems);
  problems.push(...(await writers.verify()), ...(await checkWritersOfEpochs(site)).problems);
  const figures = `PostgreSQL away for ${isQuick ? 10 : 60} s: ${before} writes acknowledged before, reads answered for ${Math.round(shortest)} to ${Math.round(longest)} ms, writes resumed after ${resumedMs === null ? "no time" : `${Math.round(resumedMs)} ms`}`;
  return { figures, problems, exceeded };
}

/** Reads a document from its owner again and again. */
class Reader {
  readonly problems: string[] = [];
  /** When the last read that was answered began. */
  lastAt = performance.now();
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ key }: ClusterSite, doc: string, owner: { readonly address: string } | null) {
    if (!owner) throw new Error("the document has no owner");
    this.#url = `${owner.address}/api/docs/${doc}/tables/Items/records?limit=1`;
    this.#headers = { Authorization: `Bearer ${key}` };
  }

  async run(isEnded: () => boolean): Promise<void> {
    while (!isEnded()) {
      const at = performance.now();
      const response = await fetch(this.#url, { headers: this.#headers });
      const text = await response.text();
      if (response.ok) this.lastAt = at;
      else if (response.status !== 503) this.problems.push(`a read: ${response.status} ${text}`);
      else if (!response.headers.has("retry-after")) this.problems.push(`503 without Retry-After: ${text}`);
      await Bun.sleep(READ_INTERVAL_MS);
    }
  }
}
