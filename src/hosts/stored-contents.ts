import type { StoredContent } from "../doc/attachments/contents.ts";
import { listStoredContentsOfFile } from "../doc/attachments/embed-contents.ts";
import { copyAsSingleFile } from "../doc/file-copy.ts";

export type { StoredContent } from "../doc/attachments/contents.ts";

/** The contents of attachments that a document's file refers to in stores; the file may be in use. */
export const listStoredContentsInFile = (file: string): readonly StoredContent[] => listStoredContentsOfFile(file);

/** Copies a document's file that nobody in this process has open, with what lies beside it, into one clean file. */
export const copyClosedFile = (from: string, to: string): void => copyAsSingleFile(from, to);
