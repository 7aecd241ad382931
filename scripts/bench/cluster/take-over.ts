import { type ClusterSite, startClusterSite } from "../../cluster/cluster-site.ts";
import { createApi } from "../../stress/load/api.ts";
import { createRandom } from "../../stress/random.ts";
import type { Measurement } from "../bench.ts";
import { percentile } from "../timing.ts";
import { authorization, type ClusterFigure } from "./cluster-figure.ts";

const REPETITIONS = 20;
const QUICK_REPETITIONS = 3;
const DOCUMENT_BYTES = 17e6;
const TEXT_BYTES = 1000;
const ROWS_PER_REQUEST = 1000;
const RETRY_MS = 5;
const TIMEOUT_MS = 30_000;

/** From SIGKILL of the owner to the first acknowledged write of a document that no other node has on its disk. */
export const takeOver: ClusterFigure = {
  name: "take-over",
  async run({ isQuick }) {
    await using site = await startClusterSite({ nodes: 3 });
    const doc = await createLargeDocument(site);
    await site.spread([doc]);
    const durations: number[] = [];
    for (let i = 0; i < (isQuick ? QUICK_REPETITIONS : REPETITIONS); i++) durations.push(await measureOnce(site, doc));
    const name = "take-over of a document of 17 MB, SIGKILL to first acknowledged write";
    const figures: Measurement[] = [
      { name: `${name}, p50`, value: percentile(durations, 0.5), unit: "ms", target: { max: 3500 } },
      { name: `${name}, p99`, value: percentile(durations, 0.99), unit: "ms", target: { max: 5000 } },
    ];
    return figures;
  },
};

/** Random texts, so that compression does not make it smaller than real documents. */
async function createLargeDocument({ nodes, key }: ClusterSite): Promise<string> {
  const api = createApi(nodes[0]?.address ?? "", key);
  const random = createRandom(1);
  const workspace = await api.send<number>("POST", "/orgs/current/workspaces", { name: "Large" });
  const doc = await api.send<string>("POST", `/workspaces/${workspace}/docs`, { name: "Large" });
  const text = () =>
    Array.from({ length: TEXT_BYTES / 10 }, () =>
      random
        .below(36 ** 10)
        .toString(36)
        .padStart(10),
    ).join("");
  for (let bytes = 0; bytes < DOCUMENT_BYTES; bytes += ROWS_PER_REQUEST * TEXT_BYTES) {
    const records = Array.from({ length: ROWS_PER_REQUEST }, () => ({ fields: { A: text() } }));
    await api.send("POST", `/docs/${doc}/tables/Table1/records`, { records });
  }
  return doc;
}

async function measureOnce(site: ClusterSite, doc: string): Promise<number> {
  const owner = await site.ownerOf(doc);
  const client = site.nodes.find((node) => node !== owner);
  if (!owner || !client) throw new Error("the document has no owner");
  const write = () => addRow(client.address, site, doc);
  if (!(await write())) throw new Error("the document cannot be written before the fault");
  // At any moment between two renewals of the lease.
  await Bun.sleep(Math.random() * 1000);
  const start = performance.now();
  const killed = owner.kill();
  while (!(await write())) {
    if (performance.now() - start > TIMEOUT_MS) throw new Error(`not taken over: ${await client.readLog()}`);
    await Bun.sleep(RETRY_MS);
  }
  const duration = performance.now() - start;
  await killed;
  owner.wipe();
  await owner.start();
  return duration;
}

/** Returns whether the write was acknowledged. */
async function addRow(address: string, site: ClusterSite, doc: string): Promise<boolean> {
  const response = await fetch(`${address}/api/docs/${doc}/tables/Table1/records`, {
    method: "POST",
    headers: authorization(site),
    body: JSON.stringify({ records: [{ fields: { A: "a row" } }] }),
  });
  const text = await response.text();
  if (!response.ok && response.status !== 503) throw new Error(`${response.status} ${text}`);
  return response.ok;
}
