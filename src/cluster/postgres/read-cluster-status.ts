import { AppError } from "../../errors.ts";
import { connect } from "./connect.ts";
import type { Session } from "./connection.ts";
import { parseLogUrl } from "./log-url.ts";
import { LOG_REFUSALS } from "./refusals.ts";
import { listNodes, type NodeRow } from "./statements/nodes.ts";
import { countDocuments, type DocumentCounts, readStandbys, type Standbys } from "./statements/statistics.ts";
import { readInstallation } from "./tables.ts";

/** The state of a cluster, for people and for monitoring. */
export interface ClusterStatus {
  readonly installationId: string;
  readonly standbys: Standbys;
  /** Oldest first, including nodes that were lost in the last week. */
  readonly nodes: readonly NodeRow[];
  readonly documents: DocumentCounts;
}

/** Reads the state of a cluster over an open connection. @throws AppError `notFound` if the database has no log */
export async function readClusterStatus(session: Session): Promise<ClusterStatus> {
  const installation = await readInstallation(session);
  if (!installation) throw new AppError("notFound", LOG_REFUSALS.empty());
  return {
    installationId: installation.id,
    standbys: await readStandbys(session),
    nodes: await listNodes(session),
    documents: await countDocuments(session),
  };
}

/**
 * Reads the state of the cluster of a database; changes nothing.
 * @throws AppError `log.…` if the database cannot be read, `notFound` if it has no log
 */
export async function fetchClusterStatus(urlText: string): Promise<ClusterStatus & { readonly server: string }> {
  const url = parseLogUrl(urlText);
  await using connection = await connect(url);
  return { server: url.label, ...(await readClusterStatus(connection)) };
}
