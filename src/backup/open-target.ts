import { resolve } from "node:path";
import { invalid } from "../errors.ts";
import type { BucketSettings } from "../files/bucket-objects.ts";
import { BucketTarget } from "./bucket-target.ts";
import { FolderTarget } from "./folder-target.ts";
import type { BackupTarget } from "./backup-target.ts";

/** The settings for bucket access besides its name. Null where not set. */
export type BucketAccess = Omit<BucketSettings, "bucket" | "prefix">;

export interface OpenTargetOptions {
  /** Access to the configured S3-compatible service; null when it is not fully configured. */
  readonly access: BucketAccess | null;
  /** A folder for files that are being uploaded to a bucket. */
  readonly temporaryFolder: string;
}

/**
 * Opens the backup target at a location: a folder, or `s3://bucket/prefix`.
 * @throws AppError `invalid` for a bucket without the required settings
 */
export function openTarget(location: string, { access, temporaryFolder }: OpenTargetOptions): BackupTarget {
  if (!location.startsWith("s3://")) return new FolderTarget(resolve(location));
  const [bucket = "", ...path] = location
    .slice("s3://".length)
    .split("/")
    .filter((part) => part !== "");
  if (bucket === "") throw invalid(`${location} names no bucket`);
  if (!access) {
    throw invalid("a bucket requires the settings QUERN_S3_ENDPOINT, QUERN_S3_ACCESS_KEY and QUERN_S3_SECRET_KEY");
  }
  const prefix = path.length > 0 ? `${path.join("/")}/` : "";
  return new BucketTarget({ ...access, bucket, prefix }, temporaryFolder);
}
