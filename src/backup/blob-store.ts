import { type FileHandle, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { randomHex } from "../lib/ids.ts";
import type { Blob } from "./manifest.ts";
import type { BackupTarget } from "./backup-target.ts";
import { type CompressedFile, compressFile, verifyCompressed } from "./compression.ts";

const FOLDER = "blobs/";

/** Returns the key of a blob in a backup target. */
export const blobKey = (sha256: string): string => `${FOLDER}${sha256.slice(0, 2)}/${sha256}.zst`;

/** Lists the blobs in a target, by hash. */
export async function* listBlobs(target: BackupTarget): AsyncGenerator<StoredBlob> {
  for await (const { key, sizeBytes, storedAtMs } of target.list(FOLDER)) {
    const sha256 = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})\.zst$/.exec(key)?.[1];
    if (sha256 !== undefined) yield { sha256, packedBytes: sizeBytes, storedAtMs };
  }
}

export interface StoredBlob {
  readonly sha256: string;
  readonly packedBytes: number;
  readonly storedAtMs: number;
}

/** The blobs of a backup target: compressed and content-addressed, each stored once for all backups and documents. */
export class BlobStore {
  readonly #target: BackupTarget;
  /** Compressed sizes, by hash. */
  readonly #storedSizes = new Map<string, number>();
  readonly #added: string[] = [];
  /** Compressed size of the added blobs. */
  addedBytes = 0;

  private constructor(target: BackupTarget) {
    this.#target = target;
  }

  static async open(target: BackupTarget): Promise<BlobStore> {
    const pool = new BlobStore(target);
    for await (const { sha256, packedBytes } of listBlobs(target)) pool.#storedSizes.set(sha256, packedBytes);
    return pool;
  }

  /** Returns true when a blob exists with the expected size. */
  has({ sha256, packedBytes }: Blob): boolean {
    return this.#storedSizes.get(sha256) === packedBytes;
  }

  /** Returns the stored blob with that hash; undefined when it does not exist. */
  find(sha256: string, sizeBytes: number): Blob | undefined {
    const packedBytes = this.#storedSizes.get(sha256);
    return packedBytes === undefined ? undefined : { sha256, sizeBytes, packedBytes };
  }

  /**
   * Compresses and stores a file.
   * @param onCompressed receives the compressed file before it is stored
   */
  async store(
    from: string | FileHandle,
    onCompressed: (file: string, compressed: CompressedFile) => Promise<void> = async () => {},
  ): Promise<Blob> {
    const file = join(this.#target.temporaryFolder, `backup-${randomHex(8)}.zst`);
    try {
      const compressed = await compressFile(from, file);
      await onCompressed(file, compressed);
      return await this.storeCompressed(file, compressed);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Stores a compressed file; the file may be moved. */
  async storeCompressed(file: string, compressed: CompressedFile): Promise<Blob> {
    const { sha256, sizeBytes, packedBytes } = compressed;
    const existing = this.find(sha256, sizeBytes);
    if (existing && (this.has(compressed) || (await this.#isIntact(existing)))) return existing;
    await this.#target.put(blobKey(sha256), file);
    this.#storedSizes.set(sha256, packedBytes);
    this.#added.push(sha256);
    this.addedBytes += packedBytes;
    return { sha256, sizeBytes, packedBytes };
  }

  /** The compressed size differs with another version of the compressor, but also when the file was truncated. */
  async #isIntact(blob: Blob): Promise<boolean> {
    const stream = await this.#target.read(blobKey(blob.sha256));
    if (!stream) return false;
    try {
      await verifyCompressed(stream, blob);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "damaged") return false;
      throw error;
    }
  }

  /** Removes the blobs that were added; no manifest references them. */
  async rollback(): Promise<void> {
    for (const sha256 of this.#added) await this.#target.remove(blobKey(sha256));
  }
}
