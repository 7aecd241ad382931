/** Upgrades of documents' files that no server has open. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { FormulaLimits } from "../../doc/document.ts";
import { upgradeDocumentFile } from "../../doc/import-document.ts";
import { type DocumentVersions, isNewer, isOutdated, LATEST_VERSIONS } from "../../doc/migrations/migrate.ts";
import { inspectDocumentFile } from "../../doc/open-document.ts";
import { documentFile, documentFileSize } from "./document-files.ts";

export { LATEST_VERSIONS } from "../../doc/migrations/migrate.ts";

/** The file of a document, and the versions that an upgrade migrates it to. */
export interface DocumentFile {
  readonly uuid: string;
  readonly sizeBytes: number;
  readonly from: DocumentVersions;
  readonly to: DocumentVersions;
  /** `newer`: a newer version of the program wrote it; it is opened as it is. */
  readonly age: "outdated" | "current" | "newer";
}

/** Returns the UUIDs of the documents that have a folder, including the trash. */
export function listDocumentFolders(folder: string): string[] {
  try {
    const entries = readdirSync(join(folder, "docs"), { withFileTypes: true });
    const uuids = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    return uuids.filter((uuid) => documentFileSize(documentFile(folder, uuid)) !== null).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * Describes a document's file without changing anything. For processes without a server.
 * @throws AppError `damaged` when it cannot be read
 */
export function inspectFile(folder: string, uuid: string): DocumentFile {
  const path = documentFile(folder, uuid);
  const from = inspectDocumentFile(path);
  const age = isOutdated(from) ? "outdated" : isNewer(from) ? "newer" : "current";
  return { uuid, sizeBytes: documentFileSize(path) ?? 0, from, to: LATEST_VERSIONS, age };
}

/**
 * Upgrades a document's file, which no server has open.
 * @throws AppError `damaged`, `storage`; then the file is unchanged
 */
export function upgradeFile(folder: string, uuid: string, formulas: FormulaLimits): void {
  upgradeDocumentFile(documentFile(folder, uuid), { formulas });
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
