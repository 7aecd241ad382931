import type { StoredContent } from "../../doc/attachments/contents.ts";
import { listStoredContentsOfFile } from "../../doc/attachments/embed-contents.ts";
import { copyAsSingleFile } from "../../doc/file-copy.ts";

export type { StoredContent } from "../../doc/attachments/contents.ts";

/** Lists the attachment contents that a document's file references in stores; the file may be in use. */
export const listStoredContentsInFile = (file: string): readonly StoredContent[] => listStoredContentsOfFile(file);

/** Copies a document's file that this process does not have open, with its write-ahead log, into one clean file. */
export const copyClosedFile = (from: string, to: string): void => copyAsSingleFile(from, to);
