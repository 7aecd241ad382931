import { OpenDocument, type OpenDocumentOptions } from "./document.ts";
import { upgradeDocumentFile } from "./import-document.ts";
import { isOutdated } from "./migrations/migrate.ts";

/**
 * Opens a document's file, upgrading it first if an older version wrote it.
 * @throws AppError `damaged` when it cannot be read or upgraded, `storage` when the disk fails
 */
export function openDocumentFile(path: string, options: OpenDocumentOptions = {}): OpenDocument {
  {
    const document = new OpenDocument(path, options);
    try {
      if (!isOutdated(document.db)) return document;
    } catch (error) {
      document.close();
      throw error;
    }
    document.close();
  }
  upgradeDocumentFile(path, options);
  return new OpenDocument(path, options);
}
