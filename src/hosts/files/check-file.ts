import { checkDocumentFile } from "../../doc/check-document.ts";

export interface FileCheck {
  readonly ok: boolean;
  /** One sentence per problem. */
  readonly problems: readonly string[];
  /** One sentence for each setting that programs ignore. */
  readonly notices: readonly string[];
}

/** Verifies a document file without changing it or creating files next to it. */
export const checkFile = (path: string): FileCheck => checkDocumentFile(path);
