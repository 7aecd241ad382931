import { type ClusterSite, clusterMissing, startClusterSite } from "../cluster/cluster-site.ts";
import { type Haproxy, haproxyMissing, startHaproxy } from "../cluster/haproxy.ts";
import { createTokenSite } from "./cluster/cluster-token-site.ts";
import { createRandom } from "./random.ts";
import type { Outcome, StressTest, StressTestOptions } from "./stress-test.ts";

const NODES = 3;
const DOCUMENTS = 8;
const CLIENTS_PER_DOCUMENT = 2;
/** Pause of a client after each answer: without one, the clients leave the nodes little of the machine that they share. */
const PAUSE_MS = 50;
const STOPS = 12;
const QUICK_STOPS = 3;
const SETTLE_MS = 3000;
/** The longest time without an acknowledged write of a document. */
const MAX_GAP_MS = 250;

/**
 * Nodes behind HAProxy are stopped by SIGTERM and started again, one after the other, while clients write: none of their
 * requests fails, and each document goes on acknowledging writes.
 */
export const clusterDrain: StressTest = {
  name: "cluster-drain",
  missing: () => clusterMissing() ?? haproxyMissing(),
  async run(options) {
    await using site = await startClusterSite({ nodes: NODES });
    const { documents } = await createTokenSite(site, { documents: DOCUMENTS, random: createRandom(options.seed) });
    await site.spread(documents);
    await using haproxy = await startHaproxy({ servers: site.nodes, balance: "document" });
    return await stopInTurn(site, haproxy, documents, options);
  },
};

async function stopInTurn(
  site: ClusterSite,
  haproxy: Haproxy,
  documents: readonly string[],
  { isQuick, rounds = isQuick ? QUICK_STOPS : STOPS }: StressTestOptions,
): Promise<Outcome> {
  const writers = documents.map((doc) => new DocumentWriter(haproxy.address, site.key, doc));
  let isEnded = false;
  const loading = Promise.all(
    writers.flatMap((writer) => Array.from({ length: CLIENTS_PER_DOCUMENT }, () => writer.run(() => isEnded))),
  );
  await Bun.sleep(SETTLE_MS);
  const [problems, exceeded]: [string[], string[]] = [[], []];
  let longestMs = 0;
  for (let round = 0; round < rounds && problems.length === 0; round++) {
    const node = site.nodes[round % site.nodes.length];
    if (!node) break;
    const what = `SIGTERM of ${node.name}${(await site.ownerOf("home")) === node ? ", which owned home" : ""}`;
    for (const writer of writers) writer.begin();
    await node.stop();
    const stoppedMs = performance.now();
    await node.start();
    await Bun.sleep(SETTLE_MS);
    for (const writer of writers) {
      for (const { failure, ms, at } of writer.failures.splice(0)) {
        const when =
          at > stoppedMs ? `${Math.round(at - stoppedMs)} ms after its exit` : `${Math.round(ms)} ms after it`;
        problems.push(`${what}: ${when}: ${failure}`);
      }
      longestMs = Math.max(longestMs, writer.longestGapMs);
      if (writer.longestGapMs > MAX_GAP_MS) {
        const begin = Math.round(writer.gapBeginMs);
        exceeded.push(
          `${what}: no acknowledged write for ${Math.round(writer.longestGapMs)} ms, from ${begin} ms after it`,
        );
      }
    }
  }
  isEnded = true;
  await loading;
  const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  const figures = `${rounds} hand-overs, ${acknowledged} acknowledged writes, ${problems.length} failed requests, longest gap of a document ${Math.round(longestMs)} ms`;
  // The time that a document is away depends on the machine: the short form only shows it.
  return { figures, problems, exceeded: isQuick ? [] : exceeded };
}

/** Clients that write to one document, without retries. */
export class DocumentWriter {
  acknowledged = 0;
  longestGapMs = 0;
  /** When the longest gap began, since `begin`. */
  gapBeginMs = 0;
  readonly failures: { readonly failure: string; readonly ms: number; readonly at: number }[] = [];
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #lastMs = performance.now();
  #beginMs = performance.now();

  constructor(address: string, key: string, doc: string) {
    this.#url = `${address}/api/docs/${doc}/tables/Items/records`;
    this.#headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  }

  /** Measures gaps and failures from now on. */
  begin(): void {
    this.#beginMs = performance.now();
    this.longestGapMs = 0;
  }

  async run(isEnded: () => boolean): Promise<void> {
    const body = JSON.stringify({ records: [{ fields: { Token: "a token", Note: "a note" } }] });
    while (!isEnded()) {
      try {
        const response = await fetch(this.#url, { method: "POST", headers: this.#headers, body });
        const text = await response.text();
        if (response.ok) this.#acknowledge();
        else this.#fail(`${response.status} ${text.slice(0, 200)}`);
      } catch (error) {
        this.#fail(String(error));
      }
      await Bun.sleep(PAUSE_MS);
    }
  }

  #acknowledge(): void {
    const now = performance.now();
    if (now - this.#lastMs > this.longestGapMs) {
      this.longestGapMs = now - this.#lastMs;
      this.gapBeginMs = this.#lastMs - this.#beginMs;
    }
    this.#lastMs = now;
    this.acknowledged++;
  }

  #fail(failure: string): void {
    const at = performance.now();
    this.failures.push({ failure, ms: at - this.#beginMs, at });
  }
}
