/**
 * How a section shows its table, as its metadata says: columns with their order and widths, sorts, filters and options. Parts
 * without a place in the format of documents are in `options.quern` (`quern-options.ts`).
 */
import { type ColumnListing, isGroupColumn, isHelperColumn } from "../table-data.ts";
import { DEFAULT_VIEW, type SortKey, sortFlags, type ViewFilter, type ViewState } from "../view-state.ts";
import { integerOf, jsonList, jsonObject } from "./metadata-values.ts";
import { readQuernOptions, withFilter } from "./quern-options.ts";
import type { SectionData, SectionFilter } from "./section-data.ts";
import { parseStoredFilter, selectsAll } from "./stored-filter.ts";

export const ROW_NUMBERS = ["number", "rowId", "hidden"] as const;
export type RowNumbers = (typeof ROW_NUMBERS)[number];

/** How rows and their cells are set off from one another. */
export interface SectionStyle {
  readonly hasVerticalLines: boolean;
  readonly hasHorizontalLines: boolean;
  readonly isStriped: boolean;
  readonly rowNumbers: RowNumbers;
}

export interface SectionView {
  readonly state: ViewState;
  /** Ids of columns whose filters stay when they have no value. */
  readonly pinned: readonly string[];
  readonly style: SectionStyle;
  /** Whether a filter or groups of Quern do not apply, since another program has changed the view. */
  readonly isOutdated: boolean;
}

/** What a reader of the section sees of its table. */
export type SectionColumns = readonly Pick<ColumnListing, "id" | "fields">[];

const DEFAULT_WIDTH = 100;

/** @param columns the columns that the reader sees; helper columns are left out */
export function readSectionView(section: SectionData, columns: SectionColumns): SectionView {
  const idOf = columnIds(columns);
  const options = jsonObject(section.options);
  const fields = section.fields.flatMap((field) => {
    const id = idOf.get(field.colRef);
    return id === undefined || isHelperColumn(id) ? [] : [{ id, width: field.width }];
  });
  const shown = new Set(fields.map(({ id }) => id));
  const defaultWidth = section.defaultWidth > 0 ? section.defaultWidth : DEFAULT_WIDTH;
  const { quern, isOutdated } = readQuernOptions(section, idOf);
  return {
    state: {
      ...DEFAULT_VIEW,
      ...quern,
      filter: withFilter(savedFilters(section, idOf), quern.filter),
      sort: readSort(section.sortColRefs, idOf),
      hidden: listedColumns(section, columns).flatMap(({ id }) => (shown.has(id) ? [] : id)),
      order: fields.map(({ id }) => id),
      widths: Object.fromEntries(fields.map(({ id, width }) => [id, width > 0 ? width : defaultWidth])),
      frozen: Math.max(0, integerOf(options["numFrozen"])),
      lines: Math.max(1, integerOf(options["rowHeight"])),
    },
    pinned: section.filters.flatMap((filter) => (filter.isPinned ? (idOf.get(filter.colRef) ?? []) : [])),
    style: readSectionStyle(section),
    isOutdated,
  };
}

export function readSectionStyle({ options }: Pick<SectionData, "options">): SectionStyle {
  const { verticalGridlines, horizontalGridlines, zebraStripes, rowNumbers } = jsonObject(options);
  return {
    hasVerticalLines: verticalGridlines !== false,
    hasHorizontalLines: horizontalGridlines !== false,
    isStriped: zebraStripes === true,
    rowNumbers: ROW_NUMBERS.find((one) => one === rowNumbers) ?? "number",
  };
}

/** Returns the columns that a section shows, or can show. */
export function listedColumns<T extends SectionColumns[number]>(
  { fields }: Pick<SectionData, "fields">,
  columns: readonly T[],
): T[] {
  const refs = new Set(fields.map(({ colRef }) => colRef));
  return columns.filter(
    (column) => !isHelperColumn(column.id) && (!isGroupColumn(column) || refs.has(column.fields.colRef)),
  );
}

/** Ids of columns by their row ids. */
export const columnIds = (columns: SectionColumns): ReadonlyMap<number, string> =>
  new Map(columns.map(({ id, fields }) => [fields.colRef, id]));

/** An entry of `sortColRefs`: a column's row id with its sign and options. */
interface StoredSort {
  readonly colRef: number;
  readonly isDescending: boolean;
  readonly flags: NonNullable<SortKey["flags"]>;
  /** As it is stored. */
  readonly entry: unknown;
}

export function parseStoredSort(sortColRefs: string): StoredSort[] {
  return jsonList(sortColRefs).flatMap((entry) => {
    const [, sign, colRef, flags = ""] = /^(-?)(\d+)(?::(.*))?$/s.exec(String(entry)) ?? [];
    if (colRef === undefined) return [];
    return [{ colRef: Number(colRef), isDescending: sign === "-", flags: sortFlags(flags), entry }];
  });
}

const readSort = (sortColRefs: string, idOf: ReadonlyMap<number, string>): SortKey[] =>
  parseStoredSort(sortColRefs).flatMap(({ colRef, isDescending, flags }) => {
    const columnId = idOf.get(colRef);
    return columnId === undefined ? [] : [{ columnId, isDescending, flags }];
  });

/** Filters of columns that the reader does not see do not apply: they would tell about values. */
function savedFilters({ filters }: SectionData, idOf: ReadonlyMap<number, string>): ViewFilter {
  const conditions = filters.flatMap((one: SectionFilter): [string, unknown][] => {
    const id = idOf.get(one.colRef);
    const stored = parseStoredFilter(one.filter);
    return id === undefined || stored === null || selectsAll(stored) ? [] : [[id, { saved: stored }]];
  });
  return Object.fromEntries(conditions);
}
