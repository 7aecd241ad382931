import { describeDocumentFile, type DocumentDescription } from "../../doc/describe-document.ts";

export type { DocumentDescription };

/** Counts what a document's file contains, without changing it or creating files next to it. */
export const describeFile = (path: string): DocumentDescription => describeDocumentFile(path);
