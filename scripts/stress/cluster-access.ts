import { type ClusterSite, clusterMissing, startClusterSite } from "../cluster/cluster-site.ts";
import { ACCESS_KINDS, type AccessKind, type AccessTrial, resetLane } from "./cluster/access-kinds.ts";
import { type AccessLane, createLane, type LaneRequest, TRUSTED_PROXY } from "./cluster/access-lane.ts";
import { createRandom, type Random } from "./random.ts";
import { deadlineAfter, type Outcome, type StressTest, type StressTestOptions } from "./stress-test.ts";

const NODES = 3;
const LANES = 6;
const TRIALS = 10_000;
const QUICK_TRIALS = 300;
/** Trials in which the user also follows the document's events through a third node. */
const EVENTS_SHARE = 0.1;
/** Reads that carry the ETag of the one before. */
const ETAG_SHARE = 0.3;
const MAX_STREAM_MS = 1000;
const STREAM_TIMEOUT_MS = 10_000;
const MAX_PROBLEMS = 20;
/** What a request without access gets; pages redirect to the sign-in page. */
const REFUSALS = [303, 302, 401, 403, 404];

/**
 * Access is revoked through one node and used through another right after the answer: every request is refused, and
 * event streams end within a second.
 */
export const clusterAccess: StressTest = {
  name: "cluster-access",
  missing: clusterMissing,
  async run(options) {
    await using site = await startClusterSite({ nodes: NODES, settings: () => TRUSTED_PROXY });
    const lanes: AccessLane[] = [];
    for (let index = 0; index < LANES; index++) lanes.push(await createLane(site, index));
    await site.spread(lanes.flatMap(({ doc, sharedDoc }) => [doc, sharedDoc]));
    return await new AccessTrials(site, options).run(lanes);
  },
};

class AccessTrials {
  readonly #site: ClusterSite;
  readonly #options: StressTestOptions;
  readonly #random: Random;
  readonly #problems: string[] = [];
  readonly #exceeded: string[] = [];
  /** The kinds take turns. */
  #turns = 0;
  #trials = 0;
  #misses = 0;
  #streams = 0;
  #slowestStreamMs = 0;

  constructor(site: ClusterSite, options: StressTestOptions) {
    this.#site = site;
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  async run(lanes: readonly AccessLane[]): Promise<Outcome> {
    const { isQuick, rounds = isQuick ? QUICK_TRIALS : TRIALS, minutes } = this.#options;
    const until = deadlineAfter(minutes);
    const run = async (lane: AccessLane) => {
      while (this.#trials < rounds && performance.now() < until && this.#problems.length < MAX_PROBLEMS) {
        const kind = ACCESS_KINDS[this.#turns++ % ACCESS_KINDS.length];
        if (!kind || !this.#random.chance(kind.share ?? 1)) continue;
        this.#trials++;
        await this.#attempt(kind, lane).catch((error: unknown) =>
          this.#problems.push(`${kind.name}: ${String(error)}`),
        );
      }
    };
    await Promise.all(lanes.map(run));
    const figures = `${this.#trials} trials on ${NODES} nodes, ${this.#misses} misses; ${this.#streams} event streams, the slowest ended after ${Math.round(this.#slowestStreamMs)} ms`;
    return { figures, problems: this.#problems, exceeded: this.#exceeded };
  }

  /** Grants, revokes and uses access, each through a node that is chosen at random. */
  async #attempt(kind: AccessKind, lane: AccessLane): Promise<void> {
    const random = this.#random;
    const nodes = [...this.#site.nodes];
    const granter = random.pick(nodes);
    const revoker = random.pick(nodes);
    const reader = random.pick(nodes.filter((node) => node !== revoker));
    await resetLane(lane, granter.address);
    const trial = await kind.grant(lane, granter.address);
    const before = await send(reader.address, trial.request);
    if (before.status !== 200) {
      throw new Error(`granted through ${granter.name}, and ${before.status} from ${reader.name}: ${before.text}`);
    }
    const stream = random.chance(EVENTS_SHARE) ? await this.#follow(trial) : null;
    await trial.revoke(revoker.address);
    const revokedAt = performance.now();
    const etag = random.chance(ETAG_SHARE) ? before.etag : null;
    const after = await send(reader.address, trial.request, etag);
    if (!REFUSALS.includes(after.status)) {
      this.#misses++;
      this.#problems.push(
        `${kind.name} through ${revoker.name}: ${reader.name} answered ${after.status} ${after.text}`,
      );
    }
    await stream?.ended.catch((error: unknown) => this.#problems.push(`${kind.name}: ${String(error)}`));
    if (stream) {
      const ms = performance.now() - revokedAt;
      this.#streams++;
      this.#slowestStreamMs = Math.max(this.#slowestStreamMs, ms);
      if (ms > MAX_STREAM_MS) this.#exceeded.push(`${kind.name}: an event stream ended after ${Math.round(ms)} ms`);
    }
  }

  /** Opens an event stream through any node. */
  async #follow({ followed }: AccessTrial): Promise<{ readonly ended: Promise<void> } | null> {
    if (!followed) return null;
    const node = this.#random.pick(this.#site.nodes);
    const stop = new AbortController();
    const url = `${node.address}/api/docs/${followed.doc}/events`;
    const response = await fetch(url, { headers: followed.headers, signal: stop.signal });
    if (!response.ok || !response.body) {
      throw new Error(`events through ${node.name}: ${response.status} ${await response.text()}`);
    }
    const reader = response.body.getReader();
    await reader.read();
    const readToEnd = async () => {
      const timer = setTimeout(() => stop.abort(), STREAM_TIMEOUT_MS);
      try {
        while (!(await reader.read()).done);
      } catch {
        if (stop.signal.aborted) throw new Error(`the event stream through ${node.name} goes on`);
      } finally {
        clearTimeout(timer);
      }
    };
    return { ended: readToEnd() };
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly etag: string | null;
}

async function send(address: string, request: LaneRequest, etag: string | null = null): Promise<Answer> {
  const { method, path, headers, body } = request;
  const conditional = etag === null ? {} : { "If-None-Match": etag };
  const response = await fetch(address + path, {
    method,
    redirect: "manual",
    headers: { ...headers, ...conditional },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, text: text.slice(0, 300), etag: response.headers.get("etag") };
}
