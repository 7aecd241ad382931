/** The actions that store a view in its section: one bundle with the fields that have changed. */
import { orderColumns, type ViewState } from "../view-state.ts";
import { jsonList, jsonObject, withJsonKeys } from "./metadata-values.ts";
import { formatQuernOptions, type HashedSection } from "./quern-options.ts";
import type { SectionData, SectionField } from "./section-data.ts";
import { columnIds, parseStoredSort, readSectionView, type SectionColumns, listedColumns } from "./section-view.ts";
import { defaultFlags } from "./sort-options.ts";
import { splitFilter } from "./storable-filter.ts";
import { parseStoredFilter, selectsAll, type StoredFilter, storedFilterKey } from "./stored-filter.ts";

export interface SavedView {
  readonly state: ViewState;
  readonly pinned: readonly string[];
}

export interface SaveOptions {
  readonly section: SectionData;
  readonly columns: SectionColumns;
  /** The document's. */
  readonly timezone: string;
}

type Action = readonly [name: string, ...args: unknown[]];
type Changes = Readonly<Record<string, unknown>>;

const FIELDS = "_grist_Views_section_field";
const FILTERS = "_grist_Filters";
const SECTIONS = "_grist_Views_section";

/** Returns no actions where nothing differs. */
export function saveActions(view: SavedView, options: SaveOptions): Action[] {
  const { section, columns } = options;
  const { stored, rest } = splitFilter(view.state.filter, options);
  const filters = filterChanges(view.pinned, stored, options);
  const sortColRefs = storedSort(view.state, options);
  const base: HashedSection = { sortColRefs, filters: filters.after };
  const { groups, totals } = view.state;
  const refOf = new Map(columns.map(({ id, fields }) => [id, fields.colRef]));
  const quern = formatQuernOptions({ filter: rest, groups, totals }, { refOf, base });
  const changed: Changes = {
    ...(sortColRefs !== section.sortColRefs && { sortColRefs }),
    ...optionChanges(view.state, quern, options),
  };
  return [
    ...fieldActions(view.state, options),
    ...when(Object.keys(changed).length > 0, ["UpdateRecord", SECTIONS, section.ref, changed]),
    ...filters.actions,
  ];
}

const when = (isNeeded: boolean, action: Action): Action[] => (isNeeded ? [action] : []);

function optionChanges(state: ViewState, quern: Changes | undefined, { section, columns }: SaveOptions): Changes {
  const before = readSectionView(section, columns).state;
  const options = withJsonKeys(section.options, {
    ...(state.frozen !== before.frozen && { numFrozen: state.frozen }),
    ...(state.lines !== before.lines && { rowHeight: state.lines }),
    ...(JSON.stringify(quern) !== JSON.stringify(jsonObject(section.options)["quern"]) && { quern }),
  });
  return JSON.stringify(jsonObject(options)) === JSON.stringify(jsonObject(section.options)) ? {} : { options };
}

/** Entries of columns that the reader does not see are kept, after the others. The text stays if it means the same. */
function storedSort({ sort }: ViewState, { section, columns }: SaveOptions): string {
  const idOf = columnIds(columns);
  const entries = sort.flatMap((key) => {
    const column = columns.find(({ id }) => id === key.columnId);
    if (!column) return [];
    const sign = key.isDescending ? "-" : "";
    const flags = key.flags ?? defaultFlags(column.fields.type, key.isDescending);
    return [
      flags.length > 0 ? `${sign}${column.fields.colRef}:${flags.join(";")}` : Number(sign + column.fields.colRef),
    ];
  });
  const before = parseStoredSort(section.sortColRefs);
  const unseen = before.filter(({ colRef }) => !idOf.has(colRef)).map(({ entry }) => entry);
  const meaning = (list: readonly unknown[]) => JSON.stringify(parseStoredSort(JSON.stringify(list)).map(withoutEntry));
  const now = [...entries, ...unseen];
  const isSame =
    meaning(entries) === meaning(before.filter(({ colRef }) => idOf.has(colRef)).map(({ entry }) => entry));
  if (isSame) return section.sortColRefs;
  return now.length === 0 && jsonList(section.sortColRefs).length === 0 ? section.sortColRefs : JSON.stringify(now);
}

const withoutEntry = ({ colRef, isDescending, flags }: ReturnType<typeof parseStoredSort>[number]): unknown => [
  colRef,
  isDescending,
  flags,
];

function fieldActions(state: ViewState, { section, columns }: SaveOptions): Action[] {
  const before = readSectionView(section, columns).state;
  const fieldOf = new Map(section.fields.map((field) => [field.colRef, field]));
  const all = listedColumns(section, columns);
  const hidden = new Set(state.hidden);
  const removed = all.flatMap(({ id, fields }) => (hidden.has(id) ? (fieldOf.get(fields.colRef)?.ref ?? []) : []));
  const shown = orderColumns(all, state.order).filter(({ id }) => !hidden.has(id));
  const positions = newPositions(shown.map(({ fields }) => fieldOf.get(fields.colRef)?.position ?? null));
  const moved: [number, number][] = [];
  const widths: [number, number][] = [];
  const added: Action[] = [];
  shown.forEach(({ id, fields }, at) => {
    const field: SectionField | undefined = fieldOf.get(fields.colRef);
    const position = positions[at] ?? null;
    const width = state.widths[id];
    const hasWidth = width !== undefined && width !== before.widths[id];
    if (!field) {
      const values = { parentId: section.ref, colRef: fields.colRef, parentPos: position, ...(hasWidth && { width }) };
      added.push(["AddRecord", FIELDS, null, values]);
    } else {
      if (position !== field.position && position !== null) moved.push([field.ref, position]);
      if (hasWidth) widths.push([field.ref, width]);
    }
  });
  return [
    ...when(removed.length > 0, ["BulkRemoveRecord", FIELDS, removed]),
    ...updates(moved, "parentPos"),
    ...added,
    ...updates(widths, "width"),
  ];
}

const updates = (values: readonly (readonly [ref: number, value: number])[], key: string): Action[] =>
  values.length === 0
    ? []
    : [["BulkUpdateRecord", FIELDS, values.map(([ref]) => ref), { [key]: values.map(([, value]) => value) }]];

/**
 * Returns ascending positions, of which as many as possible are the given ones. Others are between their neighbours, or after the
 * last one.
 */
export function newPositions(positions: readonly (number | null)[]): number[] {
  const kept = longestAscending(positions);
  const result: number[] = [];
  for (let at = 0; at < positions.length;) {
    if (kept.has(at)) {
      result.push(positions[at++] ?? 0);
      continue;
    }
    let end = at;
    while (end < positions.length && !kept.has(end)) end++;
    const after = positions[end] ?? null;
    const before = result.at(-1) ?? (after === null ? 0 : after - 1);
    const step = after === null ? 1 : (after - before) / (end - at + 1);
    for (let count = 1; at < end; at++, count++) result.push(before + step * count);
  }
  return result;
}

/** Returns the indexes of a longest ascending sequence. */
function longestAscending(values: readonly (number | null)[]): ReadonlySet<number> {
  const lengths: number[] = [];
  const previous: number[] = [];
  let best = -1;
  values.forEach((value, at) => {
    lengths[at] = 0;
    previous[at] = -1;
    if (value === null) return;
    lengths[at] = 1;
    for (let before = 0; before < at; before++) {
      const other = values[before];
      if (other === null || other === undefined || other >= value || (lengths[before] ?? 0) < (lengths[at] ?? 0))
        continue;
      lengths[at] = (lengths[before] ?? 0) + 1;
      previous[at] = before;
    }
    if (best < 0 || (lengths[at] ?? 0) > (lengths[best] ?? 0)) best = at;
  });
  const kept = new Set<number>();
  for (let at = best; at >= 0; at = previous[at] ?? -1) if (values[at] !== null) kept.add(at);
  return kept;
}

interface FilterChanges {
  readonly actions: Action[];
  /** The filters once the actions were applied. */
  readonly after: HashedSection["filters"];
}

/** A pinned filter without a value. */
const ALL = '{"excluded":[]}';

/** Filters of columns that the reader does not see stay. */
function filterChanges(
  pinned: readonly string[],
  stored: ReadonlyMap<string, StoredFilter>,
  { section, columns }: SaveOptions,
): FilterChanges {
  const removed: number[] = [];
  const updated: { ref: number; filter: string; pinned: boolean }[] = [];
  const added: { colRef: number; filter: string; pinned: boolean }[] = [];
  const after = new Map(section.filters.map((one) => [one.colRef, one.filter]));
  for (const { id, fields } of columns) {
    const before = section.filters.find(({ colRef }) => colRef === fields.colRef);
    const filter = stored.get(id);
    const isPinned = pinned.includes(id);
    const text = filter ? JSON.stringify(filter) : ALL;
    const same = before && isSame(before.filter, filter);
    if (before && same && before.isPinned === isPinned) continue;
    if (!filter && !isPinned) {
      if (before) removed.push(before.ref);
      after.delete(fields.colRef);
    } else {
      const kept = same ? before.filter : text;
      after.set(fields.colRef, kept);
      if (before) updated.push({ ref: before.ref, filter: kept, pinned: isPinned });
      else added.push({ colRef: fields.colRef, filter: kept, pinned: isPinned });
    }
  }
  const values = (rows: readonly { filter: string; pinned: boolean }[]) => ({
    filter: rows.map(({ filter }) => filter),
    pinned: rows.map((row) => row.pinned),
  });
  const target = { viewSectionRef: added.map(() => section.ref), colRef: added.map(({ colRef }) => colRef) };
  const actions = [
    ...when(removed.length > 0, ["BulkRemoveRecord", FILTERS, removed]),
    ...when(updated.length > 0, ["BulkUpdateRecord", FILTERS, updated.map(({ ref }) => ref), values(updated)]),
    ...when(added.length > 0, ["BulkAddRecord", FILTERS, added.map(() => null), { ...target, ...values(added) }]),
  ];
  return { actions, after: [...after].map(([colRef, filter]) => ({ colRef, filter })) };
}

function isSame(text: string, filter: StoredFilter | undefined): boolean {
  const before = parseStoredFilter(text);
  // A text that is no filter is kept until there is one.
  if (before === null) return filter === undefined;
  return storedFilterKey(before) === (filter && !selectsAll(filter) ? storedFilterKey(filter) : "");
}
