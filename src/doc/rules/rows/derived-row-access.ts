import type { Database } from "../../../sqlite/database.ts";
import { targetsOf } from "../../actions/references/two-way-references.ts";
import type { ColumnType } from "../../../values/column-type.ts";
import type { RowCells, RowAccess, RowView, WholeRows } from "../access-types.ts";
import type { OwnRowAccess } from "./own-row-access.ts";
import type { RowViewCache } from "./row-view-cache.ts";

/** A display helper with some censored cells. */
export interface CensoredHelper {
  readonly id: string;
  readonly reference: string;
  /** The displayed column and the visibility of its rows; null where the whole column is readable. */
  readonly shown: { readonly column: string; readonly views: RowViewCache } | null;
}

/** Visibility of a summary whose source is partly hidden. */
export interface CensoredSummary {
  /** The column that lists the source rows of a group; null in files that lack it, and then nothing is visible. */
  readonly group: string | null;
  /** The group-by columns of the source. */
  readonly groupBy: readonly string[];
  /** True when one of these is denied for all rows: then no row can be known to belong to its group. */
  readonly isGroupingDenied: boolean;
  /** True when one of these may be censored in a visible row. */
  readonly isGroupingCensored: boolean;
  /** The summary's built-in aggregates, each with the aggregated source column. */
  readonly aggregates: ReadonlyMap<string, string | null>;
  readonly views: RowViewCache;
}

export interface DerivedCensoring {
  readonly helpers: readonly CensoredHelper[];
  readonly summary: CensoredSummary | null;
}

/** The visibility filter of a table: its own rules combined with those of the rows that it displays or aggregates. */
export class DerivedRowAccess implements RowAccess {
  readonly dependsOnRows: boolean;
  readonly columns: readonly string[];
  readonly #ownAccess: OwnRowAccess;
  readonly #derived: DerivedCensoring;
  /** True when a visible row exists whose group the caller may not know. */
  #hasUnknownGroups: boolean | undefined;
  /** Interned views: equal sets of columns are the same object. */
  readonly #views = new Map<RowView, Map<string, RowView>>();

  constructor(own: OwnRowAccess, derived: DerivedCensoring) {
    this.#ownAccess = own;
    this.#derived = derived;
    const { helpers, summary } = derived;
    const read = [...helpers.map(({ reference }) => reference), ...(summary?.group ? [summary.group] : [])];
    this.columns = [...new Set([...own.columns, ...read])];
    this.dependsOnRows = own.needsRows || helpers.length > 0 || summary !== null;
  }

  wholeRows(typeOf: (column: string) => ColumnType | undefined): WholeRows | null {
    const { helpers, summary } = this.#derived;
    return helpers.length === 0 && summary === null ? this.#ownAccess.wholeRows(typeOf) : null;
  }

  view(cells: RowCells, db: Database): RowView {
    const own = this.#ownAccess.view(cells);
    if (own === "hidden") return own;
    const { helpers, summary } = this.#derived;
    const aggregates = summary ? this.#censoredAggregates(summary, cells, db) : [];
    if (aggregates === null) return "hidden";
    const censored = aggregates.filter((id) => !isCensored(own, id));
    for (const helper of helpers) {
      if (!isCensored(own, helper.id) && !isDisplayReadable(helper, { own, cells, db })) censored.push(helper.id);
    }
    return censored.length === 0 ? own : this.#withCensored(own, censored);
  }

  /**
   * Returns the censored aggregates of a summary row; null when the whole row is hidden. A source row counts for
   * callers who can tell that it belongs to the group: who see the row and all its group-by cells. If such a cell is
   * censored in any row, no group is known to be complete, since an incomplete group would reveal the censored value.
   */
  #censoredAggregates(summary: CensoredSummary, cells: RowCells, db: Database): string[] | null {
    const { group, groupBy, aggregates, views } = summary;
    if (group === null || summary.isGroupingDenied) return null;
    const isUngrouped = (view: RowView): boolean => groupBy.some((column) => isCensored(view, column));
    const rows = targetsOf(cells(group) ?? null).map((id) => views.view(id, db));
    const members = rows.filter((view) => !isUngrouped(view));
    if (members.length === 0) return null;
    if (summary.isGroupingCensored) {
      this.#hasUnknownGroups ??= views.some((view) => view !== "hidden" && isUngrouped(view), db);
    }
    const isPartial = members.length < rows.length || this.#hasUnknownGroups === true;
    return [...aggregates].flatMap(([id, summed]) =>
      isPartial || (summed !== null && rows.some((view) => isCensored(view, summed))) ? [id] : [],
    );
  }

  #withCensored(own: RowView, columns: readonly string[]): RowView {
    let views = this.#views.get(own);
    if (!views) this.#views.set(own, (views = new Map()));
    const key = columns.join();
    let view = views.get(key);
    if (!view) views.set(key, (view = new Set([...(typeof own === "string" ? [] : own), ...columns])));
    return view;
  }
}

export const isCensored = (view: RowView, column: string): boolean =>
  view === "hidden" || (view !== "whole" && view.has(column));

/** True when the caller can read the reference and the displayed cell of every row it refers to. */
function isDisplayReadable(
  { reference, shown }: CensoredHelper,
  { own, cells, db }: { own: RowView; cells: RowCells; db: Database },
): boolean {
  if (isCensored(own, reference)) return false;
  if (!shown) return true;
  return targetsOf(cells(reference) ?? null).every((id) => !isCensored(shown.views.view(id, db), shown.column));
}
