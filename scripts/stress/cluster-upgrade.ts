import { $ } from "bun";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterSite, clusterMissing, startClusterSite } from "../cluster/cluster-site.ts";
import { type Haproxy, haproxyMissing, startHaproxy } from "../cluster/haproxy.ts";
import { EXECUTABLE } from "../running-server.ts";
import { createTokenSite } from "./cluster/cluster-token-site.ts";
import { DocumentWriter } from "./cluster-drain.ts";
import { createRandom } from "./random.ts";
import type { Outcome, StressTest } from "./stress-test.ts";

const NODES = 3;
const DOCUMENTS = 6;
const CLIENTS_PER_DOCUMENT = 1;
const SETTLE_MS = 3000;
/** Lower than any release. */
const FORMER_VERSION = "0.0.1";

/**
 * Nodes of a former version are upgraded one after the other behind HAProxy, while clients write: both versions work side by
 * side, none of the requests fails, and afterwards all nodes have the new version.
 */
export const clusterUpgrade: StressTest = {
  name: "cluster-upgrade",
  missing: () => clusterMissing() ?? haproxyMissing(),
  async run(options) {
    const folder = await mkdtemp(join(tmpdir(), "quern-former-"));
    try {
      const former = join(folder, "quern");
      await $`${process.execPath} ${join(import.meta.dir, "../build.ts")} --as ${FORMER_VERSION} ${former}`.quiet();
      await using site = await startClusterSite({ nodes: NODES, executable: [former] });
      const { documents } = await createTokenSite(site, { documents: DOCUMENTS, random: createRandom(options.seed) });
      await site.spread(documents);
      await using haproxy = await startHaproxy({ servers: site.nodes, balance: "document" });
      return await upgradeInTurn(site, haproxy, documents);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function upgradeInTurn(site: ClusterSite, haproxy: Haproxy, documents: readonly string[]): Promise<Outcome> {
  const writers = documents.map((doc) => new DocumentWriter(haproxy.address, site.key, doc));
  let isEnded = false;
  const loading = Promise.all(
    writers.flatMap((writer) => Array.from({ length: CLIENTS_PER_DOCUMENT }, () => writer.run(() => isEnded))),
  );
  await Bun.sleep(SETTLE_MS);
  const problems: string[] = [];
  for (const [index, node] of site.nodes.entries()) {
    await node.stop();
    node.install([EXECUTABLE]);
    await node.start();
    await Bun.sleep(SETTLE_MS);
    const upgraded = await countUpgraded(site);
    if (upgraded !== index + 1) problems.push(`${upgraded} nodes have the new version after ${index + 1} upgrades`);
    for (const writer of writers) {
      problems.push(...writer.failures.splice(0).map(({ failure }) => `upgrade of ${node.name}: ${failure}`));
    }
  }
  isEnded = true;
  await loading;
  problems.push(...writers.flatMap((writer) => writer.failures.map(({ failure }) => failure)));
  const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
  const figures = `${NODES} nodes upgraded, ${acknowledged} acknowledged writes, ${problems.length} problems`;
  return { figures, problems, exceeded: [] };
}

async function countUpgraded(site: ClusterSite): Promise<number> {
  const [found] = await site.query<{ upgraded: string }>(
    `select count(*) as upgraded from quern.node
     where lease_until > clock_timestamp() and version <> '${FORMER_VERSION}'`,
  );
  return Number(found?.upgraded);
}
