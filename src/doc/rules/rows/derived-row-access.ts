import type { Database } from "../../../sqlite/database.ts";
import { targetsOf } from "../../actions/references/two-way-references.ts";
import type { RowCells, RowAccess, RowView } from "../access-types.ts";
import type { OwnRowAccess } from "./own-row-access.ts";
import type { RowViewCache } from "./row-view-cache.ts";

/** A display helper of which some cells are censored. */
export interface CensoredHelper {
  readonly id: string;
  readonly reference: string;
  /** The column that it shows, and what is seen of the rows it is in; null where all of that column is read. */
  readonly shown: { readonly column: string; readonly views: RowViewCache } | null;
}

/** How much of a summary is seen where some of its source is hidden. */
export interface CensoredSummary {
  /** The column that lists the source rows of a group; null in files that lack it, and nothing is seen then. */
  readonly group: string | null;
  /** The columns of the source that group. */
  readonly groupBy: readonly string[];
  /** True when one of these is hidden in all rows: no row can be told to be in its group then. */
  readonly isGroupingDenied: boolean;
  /** True when one of these may be censored in a row that is seen. */
  readonly isGroupingCensored: boolean;
  /** Columns of the summary that it fills itself, each with the column of the source that it sums up. */
  readonly aggregates: ReadonlyMap<string, string | null>;
  readonly views: RowViewCache;
}

export interface DerivedCensoring {
  readonly helpers: readonly CensoredHelper[];
  readonly summary: CensoredSummary | null;
}

/** The visibility filter of a table: by its own rules, and by those for the rows that it shows or sums up. */
export class DerivedRowAccess implements RowAccess {
  readonly dependsOnRows: boolean;
  readonly columns: readonly string[];
  readonly #ownAccess: OwnRowAccess;
  readonly #derived: DerivedCensoring;
  /** Whether there is a row that is seen, and nobody may know of which group it is. */
  #hasUnknownGroups: boolean | undefined;
  /** Equal sets of columns are the same object. */
  readonly #views = new Map<RowView, Map<string, RowView>>();

  constructor(own: OwnRowAccess, derived: DerivedCensoring) {
    this.#ownAccess = own;
    this.#derived = derived;
    const { helpers, summary } = derived;
    const read = [...helpers.map(({ reference }) => reference), ...(summary?.group ? [summary.group] : [])];
    this.columns = [...new Set([...own.columns, ...read])];
    this.dependsOnRows = own.needsRows || helpers.length > 0 || summary !== null;
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
   * Which aggregates of a summary's row are censored; null when the whole row is hidden. A source row counts for those
   * who can tell that it is in the group: who see the row and, in it, all cells that group. Where these are censored in
   * some row, no group is known to be complete: which one is not would tell what the cells hold.
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

/** True when the caller can read the reference and, in all rows that it refers to, the cell that is shown. */
function isDisplayReadable(
  { reference, shown }: CensoredHelper,
  { own, cells, db }: { own: RowView; cells: RowCells; db: Database },
): boolean {
  if (isCensored(own, reference)) return false;
  if (!shown) return true;
  return targetsOf(cells(reference) ?? null).every((id) => !isCensored(shown.views.view(id, db), shown.column));
}
