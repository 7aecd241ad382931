import { checkDocumentFile } from "../doc/check-document.ts";

export interface FileCheck {
  readonly ok: boolean;
  /** A sentence each. */
  readonly problems: readonly string[];
}

/** Verifies a document file without changing it or leaving anything beside it. */
export const checkFile = (path: string): FileCheck => checkDocumentFile(path);
