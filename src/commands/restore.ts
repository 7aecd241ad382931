import { bucketSettings } from "../composition/buckets-and-backups.ts";
import { AppError, invalid } from "../errors.ts";
import { integerBetween } from "../lib/setting-parsers.ts";
import { systemClock } from "../lib/time/clock.ts";
import { formatCount, openBackupTarget, TARGET_DESCRIPTION, TARGET_PLACEHOLDER } from "./backup.ts";
import type { Command, CommandInput } from "./command.ts";
import { printResult } from "./with-context.ts";

/** Options that only one of the two sources has. */
const BACKUP_OPTIONS = ["backup"];
const LOG_OPTIONS = ["to", "at", "doc", "seq"];

export const restore: Command = {
  name: "restore",
  about:
    "Restores a backup, or the replicated log at any moment, into an empty data folder, verifies every file and checks every document. Never overwrites existing files.",
  options: [
    { name: "from", takes: TARGET_PLACEHOLDER, about: `Backups to restore from: ${TARGET_DESCRIPTION}.` },
    {
      name: "backup",
      takes: "NAME",
      about: "Name of the backup, as listed by `quern backup list`. Default: the newest.",
    },
    { name: "from-log", takes: "URL", about: "Replicated log to restore from, instead of a backup. It is only read." },
    { name: "to", takes: "DIR", about: "With --from-log: the folder to restore to. Default: the data folder." },
    {
      name: "at",
      takes: "TIME",
      about:
        "With --from-log: the moment to restore, such as 2026-11-22T10:15:00Z. Default: the last acknowledged write.",
    },
    {
      name: "doc",
      takes: "ID",
      about:
        "With --from-log: restores only this document, as a file in the new folder --to. ID as in `quern log status`.",
    },
    { name: "seq", takes: "N", about: "With --doc: restores the commit with this number instead of a moment." },
    {
      name: "no-webhooks",
      about: "Leave out webhooks: for a test restore while the original server keeps sending them.",
    },
  ],
  run: (input) => {
    const { options } = input;
    if ((options["from"] === undefined) === (options["from-log"] === undefined)) {
      throw invalid("either --from or --from-log is required");
    }
    const isFromLog = options["from-log"] !== undefined;
    const misplaced = (isFromLog ? BACKUP_OPTIONS : LOG_OPTIONS).find((name) => options[name] !== undefined);
    if (misplaced !== undefined) throw invalid(`--${misplaced} needs ${isFromLog ? "--from" : "--from-log"}`);
    if (!isFromLog) return restoreFolder(input);
    return options["doc"] === undefined ? restoreFolderFromLog(input) : restoreDocument(input, options["doc"]);
  },
};

async function restoreFolder(input: CommandInput): Promise<number> {
  const { config, options, switches } = input;
  const { restoreBackup } = await import("../backup/restore-backup.ts");
  const target = await openBackupTarget(input, options["from"] ?? "");
  const report = await restoreBackup({
    target,
    folder: config.data,
    name: options["backup"],
    withWebhooks: !switches.has("no-webhooks"),
    clock: systemClock,
    onDocument: documentPrinter(input),
  });
  const { name, documents, problems } = report;
  printResult(input, report, [
    ...problems.map(({ uuid, problem }) => `${uuid}: at the time of the backup, ${problem}`),
    `Restored backup ${name} with ${formatCount(documents.length, "document")} to ${config.data}`,
  ]);
  requireNoProblems(`backup ${name}`, documents);
  return 0;
}

async function restoreFolderFromLog(input: CommandInput): Promise<number> {
  const { config, options, switches } = input;
  if (options["seq"] !== undefined) throw invalid("--seq needs --doc");
  const folder = options["to"] ?? config.data;
  const { restoreFromLog } = await import("../backup/restore-from-log.ts");
  const report = await restoreFromLog({
    url: options["from-log"] ?? "",
    folder,
    atMs: parseTime(options["at"]),
    bucket: bucketSettings(config),
    withWebhooks: !switches.has("no-webhooks"),
    clock: systemClock,
    onDocument: documentPrinter(input),
  });
  const { at, documents, dropped } = report;
  printResult(input, report, [
    ...dropped.map(({ uuid, name }) => `${uuid}\t${name}\tleft out: the log does not have it at that time`),
    `Restored the log at ${at} with ${formatCount(documents.length, "document")} to ${folder}`,
  ]);
  requireNoProblems(`the log at ${at}`, documents);
  return 0;
}

async function restoreDocument(input: CommandInput, doc: string): Promise<number> {
  const { config, options } = input;
  const folder = options["to"];
  if (folder === undefined) throw invalid("--to DIR is missing");
  const seq = parseSeq(options["seq"]);
  const atMs = parseTime(options["at"]);
  if (seq !== null && atMs !== null) throw invalid("use --at or --seq, not both");
  const { restoreDocumentFromLog } = await import("../backup/restore-from-log.ts");
  const point = seq !== null ? { seq } : atMs !== null ? { atMs } : null;
  const report = await restoreDocumentFromLog({
    url: options["from-log"] ?? "",
    bucket: bucketSettings(config),
    folder,
    doc,
    point,
  });
  printResult(input, report, [...report.problems, `Restored commit ${report.seq} of ${doc} to ${report.file}`]);
  requireNoProblems(`document ${doc}`, [report]);
  return 0;
}

/** Prints each document when it is restored, unless the result is one JSON value. */
const documentPrinter =
  ({ context, switches }: CommandInput) =>
  ({ uuid, name, problems }: { uuid: string; name: string; problems: readonly string[] }): void => {
    if (!switches.has("json")) context.out([uuid, name, ...(problems.length > 0 ? problems : ["ok"])].join("\t"));
  };

function requireNoProblems(what: string, documents: readonly { readonly problems: readonly string[] }[]): void {
  const bad = documents.filter(({ problems }) => problems.length > 0).length;
  if (bad > 0) throw new AppError("damaged", `restored ${what}; ${formatCount(bad, "document")} with problems`);
}

/** A time zone is required: the server and its operator may be in different ones. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

function parseTime(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw invalid(`--at must be a time such as 2026-11-22T10:15:00Z, not ${JSON.stringify(text)}`);
  return ms;
}

function parseSeq(text: string | undefined): number | null {
  if (text === undefined) return null;
  try {
    return integerBetween(text, 1, Number.MAX_SAFE_INTEGER);
  } catch (error) {
    throw invalid(`--seq ${(error as Error).message}`);
  }
}
