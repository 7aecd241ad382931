/** Backups and attachment buckets from the settings. */
import { join } from "node:path";
import { BackupSchedule } from "../backup/backup-schedule.ts";
import type { BucketAccess } from "../backup/open-target.ts";
import { SETTINGS, type Config } from "../config.ts";
import { invalid } from "../errors.ts";
import type { BucketSettings } from "../files/bucket-objects.ts";
import type { Log } from "../lib/observability/log.ts";
import { PROGRAM } from "../lib/program.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Timers } from "../lib/time/timers.ts";

/** Returns the settings of the attachment bucket. @throws AppError `invalid` if only some of them are set */
export function bucketSettings(config: Config): BucketSettings | null {
  const { s3Bucket: bucket, s3Prefix: prefix, backupTo } = config;
  const access = bucketAccess(config);
  // An S3 service that only backups use requires no bucket for attachments.
  if (bucket === null && access && backupTo?.startsWith("s3://")) return null;
  const required = ["s3Endpoint", "s3Bucket", "s3AccessKey", "s3SecretKey"] as const;
  const missingSettings = required.filter((name) => config[name] === null);
  if (missingSettings.length === required.length) return null;
  if (bucket === null || access === null) {
    throw invalid(`Incomplete bucket settings: set ${missingSettings.map((name) => SETTINGS[name].env).join(", ")}`);
  }
  return { ...access, bucket, prefix };
}

interface BackupDependencies {
  readonly onFailure: () => void;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The environment of backup processes. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The settings that backup processes need. */
const BACKUP_ENV = [
  "data",
  "snapshotsKeep",
  "s3Endpoint",
  "s3Region",
  "s3AccessKey",
  "s3SecretKey",
  "s3Bucket",
  "s3Prefix",
  "logTo",
  "cluster",
] as const;

/** Creates the backup schedule of the settings. */
export function createBackupSchedule(config: Config, { env, ...dependencies }: BackupDependencies): BackupSchedule {
  const { backupTo: target, backupEvery: everyMs, backupKeep: keep } = config;
  if (target?.startsWith("s3://") && bucketAccess(config) === null) {
    throw invalid("QUERN_BACKUP_TO is a bucket: set QUERN_S3_ENDPOINT, QUERN_S3_ACCESS_KEY and QUERN_S3_SECRET_KEY");
  }
  // Backup processes read the environment only, so flags of the server are added to it.
  const settings = BACKUP_ENV.map(
    (name) => [SETTINGS[name].env, config[name] === null ? "" : String(config[name])] as const,
  );
  const open = async () => {
    const { openTarget } = await import("../backup/open-target.ts");
    return openTarget(target ?? "", { access: bucketAccess(config), temporaryFolder: join(config.data, "tmp") });
  };
  const childEnv = { ...env, ...Object.fromEntries(settings) };
  return new BackupSchedule({ place: target, everyMs, keep, open, command: PROGRAM, env: childEnv, ...dependencies });
}

/** Returns how to access buckets; null if that is not configured. */
export function bucketAccess(config: Config): BucketAccess | null {
  const { s3Endpoint: endpoint, s3Region: region, s3AccessKey: accessKeyId, s3SecretKey: secretAccessKey } = config;
  if (endpoint === null || accessKeyId === null || secretAccessKey === null) return null;
  return { endpoint, region, accessKeyId, secretAccessKey };
}
