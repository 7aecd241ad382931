import { duration, nonEmpty, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Target, schedule and retention of backups. */
export const BACKUP_SETTINGS = {
  backupTo: setting({
    flag: "backup-to",
    env: "QUERN_BACKUP_TO",
    placeholder: "PLACE",
    defaultValue: null,
    about: "Target of scheduled backups: a folder, or s3://bucket/prefix in the configured S3-compatible service.",
    parse: nonEmpty,
  }),
  backupEvery: setting({
    flag: "backup-every",
    env: "QUERN_BACKUP_EVERY",
    placeholder: "TIME",
    defaultValue: 24 * 3_600_000,
    shown: "1d",
    about: "Interval of scheduled backups: 30m, 6h, 1d.",
    parse: duration,
  }),
  backupKeep: setting({
    flag: "backup-keep",
    env: "QUERN_BACKUP_KEEP",
    placeholder: "N",
    defaultValue: 14,
    about: "Number of backups to keep; older ones are removed after each backup. 0 keeps all.",
    parse: (text) => integerBetween(text, 0, 100_000),
  }),
  snapshotsKeep: setting({
    flag: "snapshots-keep",
    env: "QUERN_SNAPSHOTS_KEEP",
    placeholder: "N",
    defaultValue: 10,
    about:
      "Number of snapshots to keep of each document. A snapshot is taken at each backup since which the document changed, and before it is replaced.",
    parse: (text) => integerBetween(text, 0, 10_000),
  }),
} as const;
