/** A base of a document. `publishedAtMs` is PostgreSQL's time of the statement that pointed to it. */
export interface PublishedBase {
  readonly ref: string;
  readonly seq: number;
  readonly publishedAtMs: number;
}

export interface PruningDecision {
  /** The oldest base that stays; null when nothing may be pruned. */
  readonly keepFrom: PublishedBase | null;
  /** Delete these bases. */
  readonly deleteRefs: readonly string[];
  /** Delete the rows up to this seq, which `keepFrom` contains. */
  readonly deleteRowsTo: number;
}

/**
 * Decides what may be pruned: everything before the newest base that was published before the start of the retention, so
 * that each moment within the retention can be restored.
 *
 * @param bases Published bases of one document, in any order, without bases that were written but never pointed to.
 * @param retentionStartMs Now minus the retention, by PostgreSQL's clock.
 */
export function decidePruning(bases: readonly PublishedBase[], retentionStartMs: number): PruningDecision {
  const old = bases.filter(({ publishedAtMs }) => publishedAtMs <= retentionStartMs);
  const keepFrom = old.toSorted((a, b) => b.seq - a.seq || b.publishedAtMs - a.publishedAtMs)[0] ?? null;
  if (!keepFrom) return { keepFrom, deleteRefs: [], deleteRowsTo: 0 };
  // Newer bases stay, even one with the same seq: it may be the current one.
  const deleteRefs = old.filter((base) => base !== keepFrom).map(({ ref }) => ref);
  return { keepFrom, deleteRefs, deleteRowsTo: keepFrom.seq };
}
