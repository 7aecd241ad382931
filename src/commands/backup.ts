import { setPriority } from "node:os";
import { join } from "node:path";
import { bucketAccess } from "../composition/buckets-and-backups.ts";
import { openLoggedContents, openLoggedDocuments } from "../composition/replication.ts";
import type { BackupListing } from "../backup/list-backups.ts";
import type { BackupTarget } from "../backup/backup-target.ts";
import { invalid } from "../errors.ts";
import { systemClock } from "../lib/time/clock.ts";
import { integerBetween } from "../lib/setting-parsers.ts";
import type { Command, CommandInput } from "./command.ts";
import { printResult } from "./with-context.ts";

export const TARGET_PLACEHOLDER = "PLACE";
export const TARGET_DESCRIPTION = "a folder, or s3://bucket/prefix in the service of the QUERN_S3_… settings";

export const backup: Command = {
  name: "backup",
  about: "Backs up the whole data folder, with or without a running server. Incremental and compressed.",
  options: [
    { name: "to", takes: TARGET_PLACEHOLDER, about: `Target: ${TARGET_DESCRIPTION}. Default QUERN_BACKUP_TO.` },
    {
      name: "keep",
      takes: "N",
      about: "Number of backups to keep at the target; older ones are removed. By default all are kept.",
    },
  ],
  async run(input) {
    const { config, options } = input;
    const place = options["to"] ?? config.backupTo;
    if (place === null) throw invalid("--to PLACE is missing");
    const keep = options["keep"] === undefined ? 0 : parseKeep(options["keep"]);
    lowerPriority();
    const { createBackup } = await import("../backup/create-backup.ts");
    const target = await openBackupTarget(input, place);
    const { data: folder, snapshotsKeep: keepSnapshots } = config;
    await using logged = await openLoggedContents(config);
    const common = { folder, target, keep, keepSnapshots, clock: systemClock };
    // The data folder of a node has the documents that the node has opened, as they were then.
    await using loggedDocuments = await openLoggedDocuments(config);
    const report = await createBackup({ ...common, loggedContents: logged, loggedDocuments });
    const { name, documents, unchanged, packedBytes, addedBytes, elsewhere, problems, damaged } = report;
    printResult(input, report, [
      `Created backup ${name} of ${formatCount(documents, "document")} in ${target.label}: ` +
        `${unchanged} unchanged, ${formatMegabytes(packedBytes)}, ${formatMegabytes(addedBytes)} of it new`,
      ...(elsewhere > 0 ? [`${formatCount(elsewhere, "attachment")} stored in the bucket are not included`] : []),
      ...damaged.map((other) => `Backup ${other} at the target is damaged and cannot be used`),
      ...problems.map(({ uuid, problem }) => `${uuid}: ${problem}`),
    ]);
    if (problems.length > 0) throw invalid(`created backup ${name} with ${formatCount(problems.length, "problem")}`);
    return 0;
  },
};

export const backupList: Command = {
  name: "backup list",
  about: "Lists the backups at a target, newest first.",
  options: [
    {
      name: "from",
      takes: TARGET_PLACEHOLDER,
      about: `Target: ${TARGET_DESCRIPTION}. Default QUERN_BACKUP_TO.`,
    },
  ],
  async run(input) {
    const place = input.options["from"] ?? input.config.backupTo;
    if (place === null) throw invalid("--from PLACE is missing");
    const { listBackups } = await import("../backup/list-backups.ts");
    const listed = await listBackups(await openBackupTarget(input, place));
    printResult(input, listed, listed.map(formatBackup));
    return 0;
  },
};

export async function openBackupTarget({ config }: CommandInput, target: string): Promise<BackupTarget> {
  const { openTarget } = await import("../backup/open-target.ts");
  return openTarget(target, { access: bucketAccess(config), temporaryFolder: join(config.data, "tmp") });
}

function parseKeep(text: string): number {
  try {
    return integerBetween(text, 1, 100_000);
  } catch (error) {
    throw invalid(`--keep ${(error as Error).message}`);
  }
}

/** A running server has priority. */
function lowerPriority(): void {
  try {
    setPriority(10);
  } catch {
    // Setting the priority is best effort.
  }
}

const formatBackup = ({ name, createdAt, documents, packedBytes, problems, damage }: BackupListing): string =>
  damage === null
    ? [
        name,
        createdAt,
        formatCount(documents, "document"),
        formatMegabytes(packedBytes),
        problems > 0 ? `${problems} with problems` : "",
      ]
        .join("\t")
        .trimEnd()
    : [name, damage].join("\t");

export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
