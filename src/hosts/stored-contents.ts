import type { StoredContent } from "../doc/attachments/contents.ts";
import { storedIn } from "../doc/attachments/embed.ts";
import { copyAsOneFile } from "../doc/file-copy.ts";

export type { StoredContent } from "../doc/attachments/contents.ts";

/** The contents of attachments that a document's file refers to in stores; the file may be in use. */
export const storedContentsIn = (file: string): readonly StoredContent[] => storedIn(file);

/** Copies a document's file that nobody in this process has open, with what lies beside it, into one clean file. */
export const copyClosed = (from: string, to: string): void => copyAsOneFile(from, to);
