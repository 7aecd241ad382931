import { text as textOf } from "node:stream/consumers";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError, invalid } from "../errors.ts";
import { randomHex, sha256Hex } from "../lib/ids.ts";
import type { BackupTarget } from "./backup-target.ts";

/** What a backup consists of. It is the file that is written last: where it is missing, there is no backup. */

const FORMAT = 1;
const sizeBytes = z.int().nonnegative();

const Blob = z.object({
  /** Of the content, by which it is known. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes,
  /** As it is stored. */
  packedBytes: sizeBytes,
});
export type Blob = z.infer<typeof Blob>;

/** Names of files are made of these, so that they are held against what they can be. */
const uuid = z.string().regex(/^[\w-]{1,64}$/);
const ident = z.string().regex(/^[0-9a-f]{40}(\.[^\p{C}\p{Z}/\\]{1,20})?$/u);
const snapshotId = z.string().regex(/^\d{8}T\d{9}Z-[0-9a-f]{8}$/);

const DocumentEntry = z.object({
  uuid,
  blob: Blob,
  /** By which the file is known to be unchanged; null when it was being written to. */
  source: z.string().nullable(),
  attachments: z.array(z.object({ ident, blob: Blob })),
  snapshots: z.array(
    z.object({ id: snapshotId, blob: Blob, contents: z.array(z.object({ ident: z.string(), storageId: z.string() })) }),
  ),
  /** Contents of attachments that lie in a bucket, and are no part of the backup. */
  elsewhere: z.int().nonnegative(),
});
export type DocumentEntry = z.infer<typeof DocumentEntry>;

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** When it was finished, ISO 8601. */
  createdAt: z.string(),
  /** Of the program that made it. */
  version: z.string(),
  home: Blob,
  documents: z.array(DocumentEntry),
  /** What could not be backed up as it is, a sentence each. */
  problems: z.array(z.object({ uuid, problem: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;

const FOLDER = "backups/";
const keyOf = (name: string): string => `${FOLDER}${name}.json`;
const NAME = /^\d{8}T\d{9}Z$/;

/** True for what can be the name of a backup. */
export const isBackupName = (text: string): boolean => NAME.test(text);

/** The names of the backups in a place, newest first. */
export async function backupNames(target: BackupTarget): Promise<string[]> {
  const names: string[] = [];
  for await (const { key } of target.list(FOLDER)) names.push(key.slice(FOLDER.length).replace(/\.json$/, ""));
  return names.filter(isBackupName).toSorted().toReversed();
}

/** Makes a backup of what lies there already. */
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

/**
 * @throws AppError `notFound`; `damaged` when it is not as it was written; `invalid` for one of a newer program
 */
export async function readManifest(target: BackupTarget, name: string): Promise<Manifest> {
  const stream = isBackupName(name) ? await target.read(keyOf(name)) : null;
  if (!stream) throw new AppError("notFound", `there is no backup ${name} in ${target.label}`);
  const damagedManifest = (cause?: unknown) =>
    new AppError("damaged", `the backup ${name} is damaged: its list of contents is not what it was`, { cause });
  let envelope: z.infer<typeof ManifestEnvelope>;
  try {
    envelope = ManifestEnvelope.parse(JSON.parse(await textOf(stream)));
  } catch (error) {
    throw damagedManifest(error);
  }
  if (sha256Hex(JSON.stringify(envelope.backup)) !== envelope.checksum) throw damagedManifest();
  const { format } = z.object({ format: z.number() }).parse(envelope.backup);
  if (format > FORMAT) throw invalid(`the backup ${name} was made by a newer version of the program: use that one`);
  const parsed = Manifest.safeParse(envelope.backup);
  if (!parsed.success) throw damagedManifest(parsed.error);
  return parsed.data;
}

/** Removes a backup; its contents stay until they are swept up. */
export const removeManifest = (target: BackupTarget, name: string): Promise<void> => target.remove(keyOf(name));

/** Every content of a backup, each once. */
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
