/** What can happen to a node, its links, PostgreSQL and the bucket while clients write. */
import type { S3Server } from "../../../test/helpers/s3.ts";
import type { ClusterNode } from "../../cluster/cluster-node.ts";
import type { ClusterSite } from "../../cluster/cluster-site.ts";
import type { Link } from "../../cluster/node-networks.ts";
import type { Random } from "../random.ts";

export const LEASE_MS = 3000;
const HOUR_S = 3600;

export interface FaultSetting {
  readonly site: ClusterSite;
  readonly bucket: S3Server;
  readonly random: Random;
  /** The node that a fault of a node affects. */
  readonly node: ClusterNode;
}

export interface ClusterFault {
  readonly name: string;
  /** Faults of PostgreSQL and of the bucket affect all nodes; others one. */
  readonly affects: "node" | "all";
  /** What it needs, besides processes and PostgreSQL. */
  readonly needs?: "networks" | "clocks";
  /** Resolves when the cause is over and all nodes run. */
  inject(setting: FaultSetting): Promise<void>;
}

/** Up to two leases: the fault ends before, at and after the moment at which others take over. */
const pause = (random: Random) => Bun.sleep(random.below(2 * LEASE_MS));

const cut = (name: string, links: readonly Link[]): ClusterFault => ({
  name,
  affects: "node",
  needs: "networks",
  async inject({ node, random }) {
    for (const link of links) node.network?.cut(link);
    await pause(random);
    for (const link of links) node.network?.restore(link);
  },
});

export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  {
    name: "SIGKILL",
    affects: "node",
    async inject({ node, random }) {
      await node.kill();
      await pause(random);
      await node.start();
    },
  },
  {
    name: "SIGKILL and a wiped folder",
    affects: "node",
    async inject({ node, random }) {
      await node.kill();
      node.wipe();
      await pause(random);
      await node.start();
    },
  },
  {
    name: "SIGSTOP for three leases",
    affects: "node",
    async inject({ node }) {
      node.signal("SIGSTOP");
      await Bun.sleep(3 * LEASE_MS);
      node.signal("SIGCONT");
    },
  },
  {
    name: "hand-over by SIGTERM",
    affects: "node",
    async inject({ node }) {
      await node.stop();
      await node.start();
    },
  },
  cut("cut off from PostgreSQL", ["database"]),
  cut("cut off from other nodes", ["peers"]),
  cut("cut off from PostgreSQL and other nodes", ["database", "peers"]),
  {
    name: "clock shifted by an hour",
    affects: "node",
    needs: "clocks",
    async inject({ node, random }) {
      node.setClock(random.chance(0.5) ? HOUR_S : -HOUR_S);
      await pause(random);
      // Both the jump and the way back are sudden; a process that starts meanwhile knows no other time.
      if (random.chance(0.5)) {
        await node.kill();
        await node.start();
      }
      node.setClock(0);
    },
  },
  {
    name: "crash of PostgreSQL",
    affects: "all",
    async inject({ site: { postgres }, random }) {
      await postgres.stop("immediate");
      await pause(random);
      await postgres.launch();
    },
  },
  {
    name: "PostgreSQL paused",
    affects: "all",
    inject: ({ site: { postgres }, random }) => postgres.pause(random.below(2 * LEASE_MS)),
  },
  {
    name: "terminated connections",
    affects: "all",
    async inject({ site: { postgres, database }, random }) {
      for (let i = 0; i < 5; i++) {
        await postgres.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = '${database}' and ('x' || left(md5(pid::text || '${random.below(1e6)}'), 2))::bit(8)::int < 128`,
        );
        await Bun.sleep(random.below(100));
      }
    },
  },
  {
    name: "bucket that answers 429",
    affects: "all",
    async inject({ bucket, random }) {
      bucket.throttling = true;
      await pause(random);
      bucket.throttling = false;
    },
  },
];
