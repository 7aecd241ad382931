import { text as textOf } from "node:stream/consumers";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError, invalid } from "../errors.ts";
import { randomHex, sha256Hex } from "../lib/ids.ts";
import type { BackupTarget } from "./backup-target.ts";

/** The manifest of a backup: the list of its contents. It is written last: a backup without it does not exist. */

const FORMAT = 1;
const sizeBytes = z.int().nonnegative();

const Blob = z.object({
  /** Hash of the content, which identifies it. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes,
  /** Compressed size. */
  packedBytes: sizeBytes,
});
export type Blob = z.infer<typeof Blob>;

/** File names are built from these, so they are validated strictly. */
const uuid = z.string().regex(/^[\w-]{1,64}$/);
const ident = z.string().regex(/^[0-9a-f]{40}(\.[^\p{C}\p{Z}/\\]{1,20})?$/u);
const snapshotId = z.string().regex(/^\d{8}T\d{9}Z-[0-9a-f]{8}$/);

const DocumentEntry = z.object({
  uuid,
  blob: Blob,
  /** Signature that detects changes to the file; null when it was being written to. */
  source: z.string().nullable(),
  attachments: z.array(z.object({ ident, blob: Blob })),
  snapshots: z.array(
    z.object({ id: snapshotId, blob: Blob, contents: z.array(z.object({ ident: z.string(), storageId: z.string() })) }),
  ),
  /** Attachment contents that are stored in a bucket and are not included. */
  elsewhere: z.int().nonnegative(),
});
export type DocumentEntry = z.infer<typeof DocumentEntry>;

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** When the backup was completed, ISO 8601. */
  createdAt: z.string(),
  /** Version of the program that created it. */
  version: z.string(),
  home: Blob,
  documents: z.array(DocumentEntry),
  /** Documents that could not be backed up completely, one sentence each. */
  problems: z.array(z.object({ uuid, problem: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;

const FOLDER = "backups/";
const keyOf = (name: string): string => `${FOLDER}${name}.json`;
const NAME = /^\d{8}T\d{9}Z$/;

/** Returns true for a valid backup name. */
export const isBackupName = (text: string): boolean => NAME.test(text);

/** Returns the names of the backups in a target, newest first. */
export async function backupNames(target: BackupTarget): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of target.list(FOLDER)) names.push(key.slice(FOLDER.length).replace(/\.json$/, ""));
  return names.filter(isBackupName).toSorted().toReversed();
}

/** Writes the manifest, which completes the backup. */
export async function writeManifest(target: BackupTarget, name: string, manifest: Manifest): Promise<void> {
  const content = JSON.stringify(manifest);
  const file = join(target.temporaryFolder, `backup-${randomHex(8)}.json`);
  try {
    await writeFile(file, JSON.stringify({ checksum: sha256Hex(content), backup: manifest }), { mode: 0o600 });
    await target.put(keyOf(name), file);
  } finally {
    await rm(file, { force: true });
  }
}

const ManifestEnvelope = z.object({ checksum: z.string(), backup: z.unknown() });

/** @throws AppError `notFound`; `damaged` when its checksum does not match; `invalid` when a newer program wrote it */
export async function readManifest(target: BackupTarget, name: string): Promise<Manifest> {
  const stream = isBackupName(name) ? await target.read(keyOf(name)) : null;
  if (!stream) throw new AppError("notFound", `no backup ${name} in ${target.label}`);
  const damagedManifest = (cause?: unknown) =>
    new AppError("damaged", `the backup ${name} is damaged: checksum mismatch in its manifest`, { cause });
  let envelope: z.infer<typeof ManifestEnvelope>;
  try {
    envelope = ManifestEnvelope.parse(JSON.parse(await textOf(stream)));
  } catch (error) {
    throw damagedManifest(error);
  }
  if (sha256Hex(JSON.stringify(envelope.backup)) !== envelope.checksum) throw damagedManifest();
  const { format } = z.object({ format: z.number() }).parse(envelope.backup);
  if (format > FORMAT) throw invalid(`the backup ${name} was made by a newer version of Quern: upgrade Quern`);
  const parsed = Manifest.safeParse(envelope.backup);
  if (!parsed.success) throw damagedManifest(parsed.error);
  return parsed.data;
}

/** Removes a backup; its contents stay until they are pruned. */
export const removeManifest = (target: BackupTarget, name: string): Promise<void> => target.remove(keyOf(name));

/** Returns all blobs of a backup, each once. */
export function blobsOf({ home, documents }: Manifest): Map<string, Blob> {
  const all = [
    home,
    ...documents.flatMap(({ blob, attachments, snapshots }) => [
      blob,
      ...attachments.map((one) => one.blob),
      ...snapshots.map((one) => one.blob),
    ]),
  ];
  return new Map(all.map((blob) => [blob.sha256, blob]));
}
