/**
 * What a view has beyond the format of documents: conditions that one filter a column cannot express, groups and totals. They are stored
 * in a section's options under `quern`, where other programs leave them alone. Columns are named by their row ids, so that names can
 * change. Hashes of the section's own filters and sort tell whether another program has changed those since.
 */
import {
  type GroupKey,
  MAX_GROUPS,
  mapFilterColumns,
  PERIODS,
  TOTALS,
  type Total,
  type ViewFilter,
  type ViewState,
} from "../view-state.ts";
import { jsonObject } from "./metadata-values.ts";
import type { SectionData } from "./section-data.ts";

const VERSION = 1;

/** The parts of a view that other programs do not have. */
export type QuernOptions = Pick<ViewState, "filter" | "groups" | "totals">;

const NONE: QuernOptions = { filter: {}, groups: [], totals: {} };

/** The parts of a section that are hashed. */
export type HashedSection = Pick<SectionData, "sortColRefs"> & {
  readonly filters: readonly Pick<SectionData["filters"][number], "colRef" | "filter">[];
};

export function readQuernOptions(
  section: SectionData,
  idOf: ReadonlyMap<number, string>,
): { quern: QuernOptions; isOutdated: boolean } {
  const stored = asObject(jsonObject(section.options)["quern"]);
  if (stored["v"] !== VERSION) return { quern: NONE, isOutdated: false };
  const columnId = (ref: unknown): string | null => idOf.get(Number(ref)) ?? null;
  const quern = {
    filter: mapFilterColumns(asObject(stored["filter"]), columnId) ?? {},
    groups: readGroups(stored["groups"], columnId),
    totals: readTotals(stored["totals"], columnId),
  };
  if (isCurrent(stored["base"], section, idOf)) return { quern, isOutdated: false };
  return { quern: NONE, isOutdated: Object.keys(quern.filter).length > 0 || quern.groups.length > 0 };
}

/** Returns the value of `options.quern`; undefined where nothing is to be stored. */
export function formatQuernOptions(
  { filter, groups, totals }: QuernOptions,
  { refOf, base }: { refOf: ReadonlyMap<string, number>; base: HashedSection },
): Record<string, unknown> | undefined {
  const stored = {
    ...(Object.keys(filter).length > 0 && { filter: mapFilterColumns(filter, refText(refOf)) ?? {} }),
    ...(groups.length > 0 && {
      groups: groups.flatMap(({ columnId, isDescending, by }) => {
        const column = refOf.get(columnId);
        if (column === undefined) return [];
        return [{ column, ...(by !== null && { by }), ...(isDescending && { isDescending }) }];
      }),
    }),
    ...(Object.keys(totals).length > 0 && {
      totals: Object.fromEntries(Object.entries(totals).map(([id, total]) => [refOf.get(id) ?? id, total])),
    }),
  };
  return Object.keys(stored).length === 0 ? undefined : { v: VERSION, base: viewBase(base), ...stored };
}

const refText =
  (refOf: ReadonlyMap<string, number>) =>
  (id: string): string | null =>
    id === "id" ? id : (refOf.get(id)?.toString() ?? null);

function readGroups(value: unknown, columnId: (ref: unknown) => string | null): GroupKey[] {
  const groups = (Array.isArray(value) ? value : []).flatMap((each): GroupKey[] => {
    const { column, by, isDescending } = asObject(each);
    const id = columnId(column);
    if (id === null) return [];
    return [{ columnId: id, isDescending: isDescending === true, by: PERIODS.find((period) => period === by) ?? null }];
  });
  return groups.slice(0, MAX_GROUPS);
}

function readTotals(value: unknown, columnId: (ref: unknown) => string | null): Record<string, Total> {
  const totals = Object.entries(asObject(value)).flatMap(([ref, name]): [string, Total][] => {
    const id = columnId(ref);
    const total = TOTALS.find((each) => each === name);
    return id === null || total === undefined ? [] : [[id, total]];
  });
  return Object.fromEntries(totals);
}

/** Adds conditions to a filter; those of a column that has one already in a list of their own. */
export function withFilter(filter: ViewFilter, added: ViewFilter): ViewFilter {
  const isFree = Object.keys(added).every((key) => !(key in filter));
  return isFree ? { ...filter, ...added } : { ...filter, and: [...asList(filter["and"]), added] };
}

/** Hashes of the parts that other programs may change. Readers check those of columns that they see. */
export interface ViewBase {
  readonly sort: string;
  /** By the row ids of the columns. */
  readonly filters: Readonly<Record<string, string>>;
}

export const viewBase = ({ sortColRefs, filters }: HashedSection): ViewBase => ({
  sort: hashOf(sortColRefs),
  filters: Object.fromEntries(filters.map(({ colRef, filter }) => [colRef, hashOf(filter)])),
});

function isCurrent(stored: unknown, section: SectionData, idOf: ReadonlyMap<number, string>): boolean {
  const { sort, filters } = viewBase(section);
  const before = asObject(asObject(stored)["filters"]);
  const refs = new Set([...Object.keys(filters), ...Object.keys(before)]);
  return (
    asObject(stored)["sort"] === sort &&
    [...refs].every((ref) => !idOf.has(Number(ref)) || filters[ref] === before[ref])
  );
}

/** FNV-1a. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16);
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
