import type { LogStatus } from "../cluster/postgres/read-status.ts";
import { logUrlOf } from "../config/cluster-settings.ts";
import { invalid } from "../errors.ts";
import { integerBetween } from "../lib/setting-parsers.ts";
import { isoTime } from "../lib/time/clock.ts";
import type { Command, CommandInput } from "./command.ts";
import { printResult } from "./with-context.ts";

const DEFAULT_DOCUMENTS = 20;

export const logStatus: Command = {
  name: "log status",
  about:
    "Shows the replicated log in PostgreSQL: standby servers, nodes, sizes, and the largest documents. Changes nothing.",
  options: [
    { name: "from", takes: "URL", about: "URL of the log. Default QUERN_CLUSTER or QUERN_LOG_TO." },
    { name: "documents", takes: "N", about: `Number of documents to list. Default ${DEFAULT_DOCUMENTS}.` },
  ],
  async run(input) {
    const url = logUrl(input);
    const { readLogStatus } = await import("../cluster/postgres/read-status.ts");
    const status = await readLogStatus(url, parseCount(input.options["documents"]));
    printResult(input, status, formatStatus(status));
    return 0;
  },
};

/** @throws AppError `invalid` if neither the option nor the setting names a log */
function logUrl({ options, config }: CommandInput): string {
  const url = options["from"] ?? logUrlOf(config);
  if (url === null) throw invalid("--from URL is missing");
  return url;
}

function parseCount(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DOCUMENTS;
  try {
    return integerBetween(text, 0, 1_000_000);
  } catch (error) {
    throw invalid(`--documents ${(error as Error).message}`);
  }
}

function formatStatus(status: LogStatus): string[] {
  const { server, installationId, timeline, standbys, nodes, totals, documents } = status;
  return [
    `PostgreSQL ${totals.serverVersion} at ${server}, timeline ${timeline}`,
    `installation\t${installationId}`,
    `synchronous standby\t${formatSynchronous(standbys.isSynchronous)}`,
    ...standbys.standbys.map(({ name, state, syncState, lagBytes, lagMs }) =>
      ["standby", name, state ?? "(hidden)", syncState ?? "", formatLag(lagBytes, lagMs)].join("\t").trimEnd(),
    ),
    ...nodes.map(({ id, address, isAlive, leaseRemainingMs, version, startedAtMs }) =>
      [
        "node",
        id,
        address ?? "(no address)",
        isAlive ? `lease ends in ${(leaseRemainingMs / 1000).toFixed(1)} s` : "lease expired",
        version,
        `since ${isoTime(startedAtMs)}`,
      ].join("\t"),
    ),
    `documents\t${totals.documents}${totals.deletedDocuments > 0 ? ` and ${totals.deletedDocuments} permanently deleted` : ""}`,
    `log\t${totals.rows} rows\t${megabytes(totals.logBytes)}${formatRange(totals)}`,
    `bases\t${megabytes(totals.baseBytes)}`,
    `attachments\t${megabytes(totals.attachmentBytes)}`,
    ...(totals.restorableFromMs === null ? [] : [`restorable\tfrom ${isoTime(totals.restorableFromMs)}`]),
    `on disk\t${megabytes(totals.diskBytes)}`,
    ...documents.map((document) =>
      [
        document.doc,
        document.isDeleted ? "deleted" : document.isAlive ? `on ${document.node}` : "without owner",
        `commit ${document.head}`,
        `log ${megabytes(document.logBytes)}, ${megabytes(document.tailBytes)} since base`,
        `bases ${document.bases}, ${megabytes(document.baseBytes)}`,
        document.lastAppendAtMs === null ? "" : isoTime(document.lastAppendAtMs),
      ]
        .join("\t")
        .trimEnd(),
    ),
  ];
}

/** Tells whether losing PostgreSQL's disk can lose acknowledged writes. */
export function formatSynchronous(isSynchronous: boolean | null): string {
  if (isSynchronous === null) return "unknown: grant pg_monitor to the role";
  return isSynchronous ? "yes" : "no: every write is on one PostgreSQL server only, as far as PostgreSQL knows";
}

const formatLag = (bytes: number | null, ms: number | null): string =>
  bytes === null ? "" : `${bytes} bytes${ms === null ? "" : `, ${(ms / 1000).toFixed(1)} s`} behind`;

const formatRange = ({ oldestRowAtMs, newestRowAtMs }: LogStatus["totals"]): string =>
  oldestRowAtMs === null || newestRowAtMs === null ? "" : `\t${isoTime(oldestRowAtMs)} to ${isoTime(newestRowAtMs)}`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
