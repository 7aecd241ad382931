import { dirname, join } from "node:path";
import { recalculateDocument } from "../../../src/doc/actions/apply-user-actions.ts";
import { copyDocumentFile } from "../../../src/doc/copy-document.ts";
import { removeDatabase } from "../../../src/doc/file-copy.ts";
import { refreshClock } from "../../../src/doc/formulas/clock-formulas.ts";
import { importDocumentFile } from "../../../src/doc/import-document.ts";
import { openDocumentFile } from "../../../src/doc/open-document.ts";
import { ANN, contentOf, historyOf, type Scratch } from "./scratch.ts";

/** A document that was downloaded, imported as a new one, and opened. */
export interface Imported {
  readonly content: Record<string, unknown>;
  readonly history: readonly unknown[];
  /** True when opening wrote to the file. */
  readonly isWritten: boolean;
  /** The changes that a full recalculation would make. */
  readonly recalculated: readonly unknown[];
}

/** Downloads the document as the route does, and imports the file as a new document. */
export function importDownload({ document }: Scratch): Imported {
  const folder = dirname(document.path);
  const [download, path] = [join(folder, "download.grist"), join(folder, "imported.grist")];
  try {
    copyDocumentFile(document.path, download, { asTemplate: false, withoutHistory: false, isPassing: true });
    importDocumentFile(download, path);
    using imported = openDocumentFile(path, { durability: "normal" });
    const { version } = imported;
    refreshClock(imported);
    return {
      isWritten: imported.version !== version,
      recalculated: recalculateDocument(imported, { user: ANN, nowMs: 0 }, { persist: false }).calculated,
      content: contentOf(imported.db),
      history: historyOf(imported.db),
    };
  } finally {
    removeDatabase(download);
    removeDatabase(path);
  }
}
