import type { RecordJson, RecordsPage } from "../../../../base/table-data.ts";
import type { RowGeometry } from "../../../../base/client/grid/row-geometry.ts";
import type { HeldRow } from "./held-row.ts";

/** Reads rows from `offset` on, without a held one. */
export type FetchRows = (
  offset: number,
  limit: number,
  options: { signal: AbortSignal; held: HeldRow | null },
) => Promise<RecordsPage>;

export interface LoadedPage {
  readonly records: readonly RecordJson[];
  /** The records with the values that are being saved. */
  rows: readonly RecordJson[];
  /** The version of the table that the rows belong to. */
  version: number;
  /** The row that they were read without. */
  readonly held: HeldRow | null;
}

/** A change that is shown while it is saved. */
export interface SavingChange<Stored> {
  /** It is stored; later loads contain it. */
  finish(stored: Stored): void;
  /** It was not saved: shows it no longer. */
  revert(): void;
}

export interface RowPageCacheOptions {
  readonly first: RecordsPage | null;
  /** Where rows are that are in groups, as far as that is known; rows are shown when it is. Null without groups. */
  readonly geometry: () => RowGeometry | "pending" | null;
  /** Called before rows change. */
  readonly changing: () => void;
  /** Called when rows have changed, with the offset of those in view. */
  readonly changed: (movedBy: number) => void;
  readonly loaded: () => void;
  readonly failed: (error: unknown) => void;
}
