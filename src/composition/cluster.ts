/** Connects this server with the other nodes of its cluster. Loaded only with `--cluster`. */
import { ClusterNode } from "../cluster/node/cluster-node.ts";
import type { Notifications } from "../cluster/node/notifications.ts";
import type { Replication } from "../cluster/replication.ts";
import { AppError } from "../errors.ts";
import { GenerationCache } from "../home/generation-cache.ts";
import type { Home } from "../home/home.ts";
import type { Log } from "../lib/observability/log.ts";
import type { Timers } from "../lib/time/timers.ts";
import { type Notes, writeNotes } from "../services/notes.ts";

export interface JoinOptions {
  readonly home: Home;
  readonly replication: Replication;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly timers: Timers;
}

/** Returns this server as a node among the others. */
export function joinCluster({ home, replication, notifications, log, timers }: JoinOptions): ClusterNode {
  const secrets = new GenerationCache<Buffer>(home.generation);
  const node = new ClusterNode({
    here: replication,
    database: replication.database,
    notifications,
    secret: () => secrets.get("hop", () => home.secrets.find("hop")),
    log,
    timers,
  });
  node.peers.handle("notes", async (notes) => {
    if (!replication.isHomeOwner()) throw new AppError("unavailable", "Another server owns the home database");
    writeNotes(home, notes as Notes);
    return {};
  });
  const { moves } = replication;
  for (const [name, handler] of Object.entries(moves?.handlers ?? {})) node.peers.handle(name, handler);
  moves?.connect({
    call: (peer, name, content, options) => node.peers.call(peer, name, content, options),
    onHandedOver: node.handedOver,
  });
  replication.setNoteSender(async (notes) => {
    const owner = replication.homeOwner();
    if (!owner?.node) throw new AppError("unavailable", "No server owns the home database");
    await node.peers.call({ node: owner.node, address: owner.address }, "notes", notes);
  });
  return node;
}
