import { duration, nonEmpty, integerBetween } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Where and when backups are made, and how much of the past is kept. */
export const BACKUP_SETTINGS = {
  backupTo: setting({
    flag: "backup-to",
    env: "QUERN_BACKUP_TO",
    placeholder: "PLACE",
    defaultValue: null,
    about:
      "Where the server backs itself up to: a folder, or s3://bucket/prefix in the S3-compatible service of the settings.",
    parse: nonEmpty,
  }),
  backupEvery: setting({
    flag: "backup-every",
    env: "QUERN_BACKUP_EVERY",
    placeholder: "TIME",
    defaultValue: 24 * 3_600_000,
    shown: "1d",
    about: "How often it does so: 30m, 6h, 1d.",
    parse: duration,
  }),
  backupKeep: setting({
    flag: "backup-keep",
    env: "QUERN_BACKUP_KEEP",
    placeholder: "N",
    defaultValue: 14,
    about: "Backups that the server keeps there; older ones are removed after a new one was made. 0 keeps all.",
    parse: (text) => integerBetween(text, 0, 100_000),
  }),
  snapshotsKeep: setting({
    flag: "snapshots-keep",
    env: "QUERN_SNAPSHOTS_KEEP",
    placeholder: "N",
    defaultValue: 10,
    about:
      "Snapshots kept of each document: of what it was at each backup since which it changed, and before it was replaced.",
    parse: (text) => integerBetween(text, 0, 10_000),
  }),
} as const;
