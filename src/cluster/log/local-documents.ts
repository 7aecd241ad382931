import type { ContentCount } from "../protocol/log-types.ts";
import type { HeldDocumentFile } from "./base-writer.ts";
import type { DocumentFiles, KeptOpenDocument } from "./prepare-file.ts";

/** What the log needs of the threads that have documents open. */
export interface LocalDocuments {
  files(doc: string): DocumentFiles;
  /** Recovers a closed or crashed file into a single one, and returns its change counter; null without a counter. */
  recover(path: string): ContentCount | null;
  /** Holds checkpoints and returns the file, until `endBase`. @throws when that is not possible now */
  beginBase(doc: string): Promise<HeldDocumentFile>;
  /** Ends `beginBase`. Returns false when the file may have changed meanwhile. */
  endBase(doc: string): Promise<boolean>;
  /**
   * Closes the document in all threads, after the requests that they have, and keeps it closed while `work` runs; one that
   * is kept open stays open.
   */
  whileClosed(doc: string, work: () => void): Promise<void>;
  /** Reports commits that were not reported yet, of a document that is kept open. */
  collect?(doc: string): void;
  /**
   * This node no longer owns the document. Called before its file is used by anything else.
   * @param isComplete true if the log has all that was reported
   */
  stopped?(doc: string, options: { readonly isComplete: boolean }): void;
  /** Returns a document that is kept open; null for all others. */
  keptOpen?(doc: string): KeptOpenDocument | null;
}
