import { AppError } from "../../errors.ts";
import { connect } from "./connect.ts";
import { parseLogUrl } from "./log-url.ts";
import { LOG_REFUSALS } from "./refusals.ts";
import { readIdentity } from "./statements/identity.ts";
import { listNodes, type NodeRow } from "./statements/nodes.ts";
import {
  readDocumentStatistics,
  readStandbys,
  readStatistics,
  type DocumentStatistics,
  type LogStatistics,
  type Standbys,
} from "./statements/statistics.ts";
import { readInstallation } from "./tables.ts";

/** The state of a log, for people and for monitoring. */
export interface LogStatus {
  /** Host, port and database; without user and password. */
  readonly server: string;
  readonly installationId: string;
  readonly historyId: string;
  readonly tablesVersion: number;
  readonly systemIdentifier: string;
  readonly timeline: number;
  readonly standbys: Standbys;
  readonly nodes: readonly NodeRow[];
  readonly totals: LogStatistics;
  /** The largest documents first. */
  readonly documents: readonly DocumentStatistics[];
}

/**
 * Reads the state of a log; changes nothing.
 * @param maxDocuments number of documents to list
 * @throws AppError `log.…` if the log cannot be read, `notFound` if the database has none
 */
export async function readLogStatus(urlText: string, maxDocuments: number): Promise<LogStatus> {
  const url = parseLogUrl(urlText);
  await using connection = await connect(url);
  const installation = await readInstallation(connection);
  if (!installation) throw new AppError("notFound", LOG_REFUSALS.empty());
  const { systemIdentifier, timeline } = await readIdentity(connection);
  return {
    server: url.label,
    installationId: installation.id,
    historyId: installation.historyId,
    tablesVersion: installation.tablesVersion,
    systemIdentifier,
    timeline,
    standbys: await readStandbys(connection),
    nodes: await listNodes(connection),
    totals: await readStatistics(connection),
    documents: await readDocumentStatistics(connection, maxDocuments),
  };
}
