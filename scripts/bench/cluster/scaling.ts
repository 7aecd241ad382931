import { type ClusterSite, startClusterSite } from "../../cluster/cluster-site.ts";
import { haproxyMissing, startHaproxy } from "../../cluster/haproxy.ts";
import { limitProcessor, processorLimitMissing } from "../../cluster/processor-limit.ts";
import { authorization, type ClusterFigure, createDocuments } from "./cluster-figure.ts";
import { loadDocuments } from "./document-load.ts";

const NODES = 3;
const CORES = 0.25;
const DOCUMENTS = 24;
/** From so many, the same number is chosen for each node: a hash alone would give some nodes more of them. */
const CANDIDATES = 60;
const ROWS = 100;
/** Enough that no node waits for requests while those of another one wait for its share of the core. */
const CONNECTIONS = 48;
const WARM_UP_ROUNDS = 3;
const RETRY_MS = 200;
const SECONDS = 10;
const QUICK_SECONDS = 3;
/** Compilers optimize slowly on a small share of a core. */
const WARM_UP_SECONDS = 20;
const QUICK_WARM_UP_SECONDS = 6;

/**
 * Reads of nodes with a quarter of a core each, behind HAProxy: three nodes compared with one. The load, HAProxy and
 * PostgreSQL are outside of the groups.
 */
export const scaling: ClusterFigure = {
  name: "scaling",
  missing: () => processorLimitMissing() ?? haproxyMissing(),
  async run({ isQuick }) {
    const seconds = isQuick ? QUICK_SECONDS : SECONDS;
    const warmUpSeconds = isQuick ? QUICK_WARM_UP_SECONDS : WARM_UP_SECONDS;
    const one = await onNodes(1, (site, documents) =>
      readsPerSecond(site, { documents, balance: "document", seconds, warmUpSeconds }),
    );
    const [hashed, inTurn] = await onNodes(NODES, async (site, documents) => [
      await readsPerSecond(site, { documents, balance: "document", seconds, warmUpSeconds }),
      await readsPerSecond(site, { documents, balance: "roundrobin", seconds, warmUpSeconds }),
    ]);
    const name = `reads of ${ROWS} rows, ${DOCUMENTS} documents`;
    return [
      { name: `${name}, 1 node of ${CORES} cores`, value: one, unit: "/s" },
      { name: `${name}, 3 nodes, hashed by document`, value: hashed, unit: "/s", baseline: one, target: { min: 2.6 } },
      { name: `${name}, 3 nodes, round robin`, value: inTurn, unit: "/s", baseline: one, target: { min: 1.7 } },
    ];
  },
};

async function onNodes<T>(
  count: number,
  measure: (site: ClusterSite, documents: readonly string[]) => Promise<T>,
): Promise<T> {
  using limits = new DisposableStack();
  const groups = Array.from({ length: count }, () => limits.use(limitProcessor(CORES)));
  await using site = await startClusterSite({ nodes: count, under: (index) => groups[index]?.under ?? [] });
  const candidates = await createDocuments(site, count === 1 ? DOCUMENTS : CANDIDATES, ROWS);
  // No document has an owner: each goes to the first node that gets a request for it.
  await site.spread([]);
  return await measure(site, await spreadEvenly(site, candidates));
}

/** Has the load balancer's hash spread documents, and returns the same number of each node. */
async function spreadEvenly(site: ClusterSite, candidates: readonly string[]): Promise<string[]> {
  await using haproxy = await startHaproxy({ servers: site.nodes, balance: "document" });
  const byNode = new Map(site.nodes.map((node) => [node, [] as string[]]));
  const each = DOCUMENTS / site.nodes.length;
  for (const doc of candidates) {
    await readUntilAnswered(recordsOf(haproxy.address, doc), authorization(site));
    const owner = await site.ownerOf(doc);
    if (owner) byNode.get(owner)?.push(doc);
    if ([...byNode.values()].every(({ length }) => length >= each)) {
      return [...byNode.values()].flatMap((documents) => documents.slice(0, each));
    }
  }
  throw new Error(`the hash gave a node fewer than ${each} of ${candidates.length} documents`);
}

const recordsOf = (address: string, doc: string): string => `${address}/api/docs/${doc}/tables/Table1/records`;

interface ReadLoad {
  readonly documents: readonly string[];
  readonly balance: "document" | "roundrobin";
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

async function readsPerSecond(
  site: ClusterSite,
  { documents, balance, seconds, warmUpSeconds }: ReadLoad,
): Promise<number> {
  await using haproxy = await startHaproxy({ servers: site.nodes, balance });
  const urls = documents.map((doc) => recordsOf(haproxy.address, doc));
  // Opening a document takes most of a small share of a core: one at a time, or health checks would fail.
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const url of urls) await readUntilAnswered(url, authorization(site));
  }
  const load = { urls, headers: authorization(site), connections: CONNECTIONS };
  await loadDocuments({ ...load, seconds: warmUpSeconds });
  return await loadDocuments({ ...load, seconds });
}

async function readUntilAnswered(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers });
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 503) throw new Error(`${url}: ${response.status} ${text}`);
    await Bun.sleep(RETRY_MS);
  }
}
