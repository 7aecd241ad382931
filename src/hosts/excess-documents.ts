import type { VerbName } from "./verbs/verbs.ts";

/** Which documents are closed when more are open than may be. */

/** Verbs that clients call for many documents in turn: their documents must not displace those of other users. */
const BRIEF_VERBS: ReadonlySet<VerbName> = new Set<VerbName>(["document.search"]);

/** Returns true for a verb that opens a document only for itself. */
export const isBriefUse = (verb: VerbName): boolean => BRIEF_VERBS.has(verb);

interface Kept {
  /** True while the document was used only by brief verbs since it was opened. */
  readonly isBrief: boolean;
}

interface ExcessOptions<Entry> {
  readonly maxOpen: number;
  /** False for documents in use. */
  readonly canClose: (uuid: string, entry: Entry) => boolean;
}

/**
 * Returns the documents to close so that `maxOpen` stay open: first those of brief use, then the others, both least
 * recently used first. Others are closed only if they alone are more than `maxOpen`: while all documents of brief use are
 * in use, there are as many more.
 * @param entries in LRU order
 */
export function excessDocuments<Entry extends Kept>(
  entries: ReadonlyMap<string, Entry>,
  { maxOpen, canClose }: ExcessOptions<Entry>,
): (readonly [uuid: string, entry: Entry])[] {
  const excess = entries.size - maxOpen;
  if (excess <= 0) return [];
  const brief = [...entries].filter(([, { isBrief }]) => isBrief);
  const others = [...entries].filter(([, { isBrief }]) => !isBrief);
  const closable = ([uuid, entry]: readonly [string, Entry]): boolean => canClose(uuid, entry);
  const closed = brief.filter(closable).slice(0, excess);
  const count = Math.min(excess - closed.length, Math.max(0, others.length - maxOpen));
  return [...closed, ...others.filter(closable).slice(0, count)];
}
