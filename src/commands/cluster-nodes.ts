import { logUrlOf } from "../config/cluster-settings.ts";
import type { ClusterStatus } from "../cluster/postgres/read-cluster-status.ts";
import type { NodeRow } from "../cluster/postgres/statements/nodes.ts";
import { invalid } from "../errors.ts";
import { isoTime } from "../lib/time/clock.ts";
import type { Command, CommandInput, CommandOption } from "./command.ts";
import { formatCount } from "./backup.ts";
import { formatSynchronous } from "./log.ts";
import { printResult } from "./with-context.ts";

const CLUSTER_OPTION: CommandOption = {
  name: "cluster",
  takes: "URL",
  about: "URL of the cluster's database. Default QUERN_CLUSTER or QUERN_LOG_TO.",
};

export const clusterStatus: Command = {
  name: "cluster status",
  about:
    "Shows the nodes of a cluster: versions, leases, documents, commits that wait for PostgreSQL, the owner of the home database, and standby servers. Changes nothing.",
  options: [CLUSTER_OPTION],
  async run(input) {
    const url = clusterUrl(input);
    const { fetchClusterStatus } = await import("../cluster/postgres/read-cluster-status.ts");
    const status = await fetchClusterStatus(url);
    printResult(input, status, formatStatus(status));
    return 0;
  },
};

export const clusterDrain: Command = {
  name: "cluster drain",
  about:
    "Has a node hand all its documents to other nodes, before maintenance, and waits until it has. It reports to load balancers that it is not ready, and forwards requests until it is stopped or restarted.",
  operands: ["[NODE]"],
  options: [CLUSTER_OPTION, { name: "this", about: "The node of the data folder, in place of NODE." }],
  async run(input) {
    const { operands, switches, config } = input;
    const [named] = operands;
    if ((named === undefined) !== switches.has("this")) throw invalid("either NODE or --this is required");
    const { readFormerNode } = await import("../cluster/log-folder.ts");
    const node = named ?? readFormerNode(config.data)?.node;
    if (node === undefined) throw invalid(`no node has run in ${config.data}`);
    const { drainNode } = await import("../cluster/operate-cluster.ts");
    const result = await drainNode(clusterUrl(input), node);
    const documents = formatCount(result.documents, "document");
    printResult(input, result, [`Node ${node} is drained; it had ${documents}`]);
    return 0;
  },
};

export const clusterRelease: Command = {
  name: "cluster release",
  about:
    "Has the node that owns a document close it, so that the node that gets the next request about it can open it. DOC is a UUID, as in `quern log status`.",
  operands: ["DOC"],
  options: [CLUSTER_OPTION],
  async run(input) {
    const [doc = ""] = input.operands;
    const { releaseFromOwner } = await import("../cluster/operate-cluster.ts");
    const result = await releaseFromOwner(clusterUrl(input), doc);
    const { node } = result;
    printResult(input, result, [
      node === null ? `No node has document ${doc} open` : `Node ${node} has released document ${doc}`,
    ]);
    return 0;
  },
};

/** @throws AppError `invalid` if neither the option nor a setting names a database */
export function clusterUrl({ options, config }: CommandInput): string {
  const url = options["cluster"] ?? logUrlOf(config);
  if (url === null) throw invalid("--cluster URL is missing");
  return url;
}

function formatStatus({
  server,
  installationId,
  standbys,
  nodes,
  documents,
}: ClusterStatus & { readonly server: string }): string[] {
  const homeOwner = nodes.find(({ isAlive, ownsHome }) => isAlive && ownsHome);
  return [
    `PostgreSQL\t${server}`,
    `installation\t${installationId}`,
    `synchronous standby\t${formatSynchronous(standbys.isSynchronous)}`,
    `home database\t${homeOwner ? `on ${homeOwner.id}` : "without owner"}`,
    `documents\t${documents.total}, ${documents.withoutOwner} without owner`,
    ...nodes.map(formatNode),
  ];
}

const formatNode = (node: NodeRow): string =>
  [
    "node",
    node.id,
    node.address ?? "(no address)",
    node.version,
    formatState(node),
    formatCount(node.documents, "document"),
    `${formatCount(node.pendingCommits, "commit")} pending`,
    `since ${isoTime(node.startedAtMs)}`,
  ].join("\t");

function formatState({ isAlive, isDraining, leaseRemainingMs, lostAtMs }: NodeRow): string {
  if (!isAlive) return lostAtMs === null ? "lost" : `lost at ${isoTime(lostAtMs)}`;
  return `${isDraining ? "draining, " : ""}lease ends in ${(leaseRemainingMs / 1000).toFixed(1)} s`;
}
