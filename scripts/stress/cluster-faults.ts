import { join } from "node:path";
import { S3_ACCESS, S3_BUCKET, type S3Server, startS3Server } from "../../test/helpers/s3.ts";
import { clusterMissing, type ClusterSite, startClusterSite } from "../cluster/cluster-site.ts";
import type { ClusterNode } from "../cluster/cluster-node.ts";
import { shimUnavailableReason } from "../fault-injection/shim.ts";
import { CLUSTER_FAULTS, type ClusterFault } from "./cluster/cluster-faults.ts";
import { createTokenSite } from "./cluster/cluster-token-site.ts";
import { checkWritersOfEpochs, recordWritersOfEpochs } from "./cluster/writers-of-epochs.ts";
import { WORKLOAD_SETTINGS } from "./load/workload.ts";
import { TokenWriters } from "./log/token-writers.ts";
import { createRandom, type Random } from "./random.ts";
import { deadlineAfter, type Outcome, type StressTest, type StressTestOptions } from "./stress-test.ts";

const NODES = 3;
const DOCUMENTS = 8;
const CLIENTS = 24;
const FAULTS = 300;
const WRITES = 200_000;
const LOAD_MS = 1000;
/** A client gives up, with an unknown outcome, so that clients of a node that is cut off write to others again. */
const TIMEOUT_MS = 4000;
const RESUMPTION_TIMEOUT_MS = 30_000;
/** Everything is read after so many faults, and at the end. */
const FAULTS_PER_CHECK = 10;
const MAX_PAUSE_MS = 100;
/** Lines of a node's log that are shown. */
const MAX_ERRORS = 5;
const HOME_SHARE = 0.002;
const ATTACHMENTS = [10 * 1024, 300 * 1024];
/** Two nodes have a fault each at the same time. */
const PAIR_SHARE = 0.3;

/**
 * Faults of nodes, their networks, PostgreSQL and the bucket while clients write through all nodes of a cluster: no
 * acknowledged write is lost, none is applied twice, and each epoch of a document has one writer.
 */
export const clusterFaults: StressTest = {
  name: "cluster-faults",
  missing: clusterMissing,
  async run(options) {
    // Reached from networks of nodes, whose addresses are not known yet.
    using bucket = startS3Server({ hostname: "0.0.0.0" });
    const settings = (host: string) => ({
      ...WORKLOAD_SETTINGS,
      QUERN_S3_ENDPOINT: bucket.endpoint.replace(/\/\/[^:/]+/, `//${host}`),
      QUERN_S3_BUCKET: S3_BUCKET,
      QUERN_S3_ACCESS_KEY: S3_ACCESS.accessKeyId,
      QUERN_S3_SECRET_KEY: S3_ACCESS.secretAccessKey,
    });
    const hasClocks = shimUnavailableReason() === undefined;
    await using site = await startClusterSite({ nodes: NODES, hasNetworks: true, hasClocks, settings });
    await recordWritersOfEpochs(site);
    return await new FaultRun({ site, bucket, hasClocks, options }).run();
  },
};

interface FaultRunParts {
  readonly site: ClusterSite;
  readonly bucket: S3Server;
  readonly hasClocks: boolean;
  readonly options: StressTestOptions;
}

/** The faults that happen at the same time: one, or one of each of two nodes. */
type Injection = readonly { readonly fault: ClusterFault; readonly node: ClusterNode }[];

class FaultRun {
  readonly #parts: FaultRunParts;
  readonly #random: Random;
  readonly #faults: readonly ClusterFault[];
  readonly #problems: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #slowestMs = new Map<string, number>();
  #injected = 0;

  constructor(parts: FaultRunParts) {
    this.#parts = parts;
    this.#random = createRandom(parts.options.seed);
    this.#faults = CLUSTER_FAULTS.filter(
      ({ needs }) => (needs !== "networks" || parts.site.networks !== null) && (needs !== "clocks" || parts.hasClocks),
    );
  }

  async run(): Promise<Outcome> {
    const { site, options } = this.#parts;
    const { isQuick, rounds = isQuick ? this.#faults.length : FAULTS, minutes } = options;
    const tokens = await createTokenSite(site, { documents: DOCUMENTS, random: this.#random });
    const writers = new TokenWriters({
      site: tokens,
      random: this.#random,
      clients: CLIENTS,
      attachments: ATTACHMENTS,
      timeoutMs: TIMEOUT_MS,
      maxPauseMs: MAX_PAUSE_MS,
      homeShare: HOME_SHARE,
    });
    const until = deadlineAfter(minutes);
    let isEnded = false;
    let loading = writers.run(() => isEnded);
    const pauseLoad = async (work: () => Promise<void>) => {
      isEnded = true;
      await loading;
      await work();
      isEnded = false;
      loading = writers.run(() => isEnded);
    };
    const check = async () => {
      this.#problems.push(...writers.problems.splice(0), ...(await writers.verify()));
      this.#problems.push(...(await checkWritersOfEpochs(site)).problems);
    };
    for (let checks = 1; this.#injected < rounds && performance.now() < until && this.#problems.length === 0;) {
      await Bun.sleep(this.#random.below(2 * LOAD_MS));
      await this.#inject(writers);
      if (this.#injected < checks * FAULTS_PER_CHECK) continue;
      checks++;
      await pauseLoad(check);
    }
    const needed = isQuick || options.rounds !== undefined ? 0 : WRITES;
    while (writers.history.acknowledged < needed && performance.now() < until && this.#problems.length === 0) {
      await Bun.sleep(LOAD_MS);
    }
    isEnded = true;
    await loading;
    await this.#restartAll();
    await check();
    for (const node of site.nodes) await node.stop();
    this.#problems.push(...(await writers.checkFiles()));
    const { epochs } = await checkWritersOfEpochs(site);
    if (this.#problems.length > 0) this.#problems.push(...(await this.#errors()), await this.#keepLogs());
    return { figures: this.#figures(writers, epochs), problems: this.#problems };
  }

  async #inject(writers: TokenWriters): Promise<void> {
    const { site, bucket } = this.#parts;
    const injection = this.#choose();
    const name = injection.map(({ fault, node }) =>
      fault.affects === "node" ? `${fault.name} (${node.name})` : fault.name,
    );
    try {
      const random = this.#random;
      await Promise.all(injection.map(({ fault, node }) => fault.inject({ site, bucket, random, node })));
    } catch (error) {
      this.#problems.push(`${name.join(" and ")}: ${String(error)}`);
      return;
    }
    for (const { fault } of injection) this.#counts.set(fault.name, (this.#counts.get(fault.name) ?? 0) + 1);
    this.#injected += injection.length;
    const ms = await writers.resumed(RESUMPTION_TIMEOUT_MS);
    for (const node of site.nodes.filter(({ isRunning }) => !isRunning)) {
      this.#problems.push(`${name.join(" and ")}: ${node.name} exited: ${(await node.readLog()).slice(-2000)}`);
    }
    if (ms === null) {
      const waiting = [...writers.waiting].join(", ");
      this.#problems.push(
        `${name.join(" and ")}: writes of ${waiting} did not resume until ${new Date().toISOString()}`,
      );
      return;
    }
    if (injection.length === 1) {
      const [{ fault } = { fault: null }] = injection;
      if (fault) this.#slowestMs.set(fault.name, Math.max(this.#slowestMs.get(fault.name) ?? 0, ms));
    }
    this.#problems.push(...writers.problems.splice(0).map((problem) => `${name.join(" and ")}: ${problem}`));
  }

  /** Each kind once, then at random. */
  #choose(): Injection {
    const { nodes } = this.#parts.site;
    const random = this.#random;
    const fault = this.#faults[this.#injected] ?? random.pick(this.#faults);
    const node = random.pick(nodes);
    if (fault.affects === "all" || this.#injected < this.#faults.length || !random.chance(PAIR_SHARE)) {
      return [{ fault, node }];
    }
    const second = random.pick(this.#faults.filter(({ affects }) => affects === "node"));
    return [
      { fault, node },
      { fault: second, node: random.pick(nodes.filter((other) => other !== node)) },
    ];
  }

  /** What the log has is what nodes answered: one starts without its folder. */
  async #restartAll(): Promise<void> {
    const { nodes } = this.#parts.site;
    for (const node of nodes) await node.stop();
    nodes[0]?.wipe();
    await Promise.all(nodes.map((node) => node.start()));
  }

  #figures({ history }: TokenWriters, epochs: number): string {
    const kinds = [...this.#counts].map(([name, count]) => {
      const ms = this.#slowestMs.get(name);
      return `${count} × ${name}${ms === undefined ? "" : ` (${Math.round(ms)} ms)`}`;
    });
    const left = CLUSTER_FAULTS.length - this.#faults.length;
    const skipped = left === 0 ? "" : `; ${left} kinds skipped: no network namespaces or C compiler`;
    return `${this.#injected} faults, ${history.acknowledged} acknowledged writes, ${history.unknown} of unknown outcome, ${epochs} epochs; slowest resumption: ${kinds.join(", ")}${skipped}`;
  }

  /** Copies the logs of all processes to where they stay. */
  async #keepLogs(): Promise<string> {
    const folder = join(import.meta.dir, "../../dist", `cluster-faults-${this.#parts.options.seed}`);
    for (const node of this.#parts.site.nodes) {
      const logs = await node.readLogs();
      for (const [index, log] of logs.entries()) await Bun.write(join(folder, `${node.name}-${index + 1}.log`), log);
    }
    return `the logs of the nodes are in ${folder}`;
  }

  /** The first errors in the logs of each node. */
  async #errors(): Promise<string[]> {
    const all = this.#parts.site.nodes.map(async (node) => {
      const errors = await node.readErrors();
      return errors.slice(0, MAX_ERRORS).map((line) => `${node.name} logged: ${line.slice(0, 1500)}`);
    });
    return (await Promise.all(all)).flat();
  }
}
