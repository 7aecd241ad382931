import { resolve } from "node:path";
import { invalid } from "../errors.ts";
import type { BucketSettings } from "../files/bucket-store.ts";
import { BucketTarget } from "./bucket-target.ts";
import { FolderTarget } from "./folder-target.ts";
import type { BackupTarget } from "./backup-target.ts";

/** What it takes to use a bucket, besides its name. Null where the settings do not say it. */
export type BucketAccess = Omit<BucketSettings, "bucket" | "prefix">;

export interface OpenTargetOptions {
  /** Of the S3-compatible service of the settings; null when it is not fully set. */
  readonly access: BucketAccess | null;
  /** A folder for what is on its way to a bucket. */
  readonly temporaryFolder: string;
}

/**
 * The place for backups that a text names: a folder, or `s3://bucket/prefix`.
 * @throws AppError `invalid` for a bucket without settings for one
 */
export function openTarget(location: string, { access, temporaryFolder }: OpenTargetOptions): BackupTarget {
  if (!location.startsWith("s3://")) return new FolderTarget(resolve(location));
  const [bucket = "", ...path] = location
    .slice("s3://".length)
    .split("/")
    .filter((part) => part !== "");
  if (bucket === "") throw invalid(`${location} names no bucket`);
  if (!access) {
    throw invalid("a bucket takes the settings QUERN_S3_ENDPOINT, QUERN_S3_ACCESS_KEY and QUERN_S3_SECRET_KEY");
  }
  const prefix = path.length > 0 ? `${path.join("/")}/` : "";
  return new BucketTarget({ ...access, bucket, prefix }, temporaryFolder);
}
