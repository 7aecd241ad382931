/** The groups of the rows of a table: their counts and order, and which are folded. */
import { ApiError, apiWithRetry, isAborted } from "../../../../base/client/api.ts";
import { type Heights, RowGeometry } from "../../../../base/client/grid/row-geometry.ts";
import { t } from "../../../../base/client/texts.ts";
import type { GroupKey, Total } from "../../../../base/view-state.ts";
import type { Column } from "../columns/columns.ts";
import { measureOf, totalsOf } from "../totals/column-totals.ts";
import type { ViewSettings } from "../view/view-settings.ts";
import { type HeldRow, withHeldRow, withoutRow } from "../rows/held-row.ts";
import { type AggregatedGroups, type Group, groupTree } from "./group-tree.ts";

/** The table whose rows are grouped. */
export interface GroupedTable {
  readonly path: string;
  readonly view: ViewSettings;
  readonly columns: () => readonly Column[];
  readonly heights: () => Heights;
  /** The row without which the rows are read and counted; null for none. */
  readonly held: () => HeldRow | null;
  /** The id under which a row is stored; negative until it is. */
  readonly storedId: (id: number) => number;
  /** Called when groups have changed, other than for rows that are being read. */
  readonly changed: () => void;
}

/** More values of one column are refused. */
export const MAX_VALUES = 1000;
/** More groups are not shown. */
const MAX_GROUP_ROWS = 20_000;

interface GroupsRead {
  readonly signal: AbortSignal;
  /** The row that they are read without. */
  readonly held: HeldRow | null;
}

interface ReadGroups {
  readonly groups: readonly Group[];
  /** The sort of the rows. */
  readonly sort: string;
}

export class Grouping {
  readonly #table: GroupedTable;
  readonly #folded = new Set<string>();
  #read: Promise<ReadGroups | null> | null = null;
  #abort = new AbortController();
  /** The totals that were read last. */
  #measured = "[]";
  #groups: readonly Group[] | null = null;
  /** The row that is added to them. */
  #held: HeldRow | null = null;
  #geometry: RowGeometry<Group> | null = null;
  /** Why the rows are not shown in groups. */
  #problem: string | null = null;

  constructor(table: GroupedTable) {
    this.#table = table;
  }

  /**
   * The columns to group by; without columns that do not exist or cannot be grouped by, and without periods of columns that
   * are no longer dates.
   */
  get keys(): { readonly key: GroupKey; readonly column: Column }[] {
    return this.#table.view.state.groups.flatMap((key) => {
      const column = this.#table.columns().find(({ id }) => id === key.columnId);
      if (!column || !canGroupBy(column)) return [];
      return [{ key: defaultPeriod(column) === null ? { ...key, by: null } : key, column }];
    });
  }

  /** The groups that are shown, with a held row; null until they are known. */
  get groups(): readonly Group[] | null {
    return this.#groups && this.#held ? withHeldRow(this.#groups, this.#held.groups) : this.#groups;
  }

  get problem(): string | null {
    return this.#problem;
  }

  /** Where rows are: null if they are not grouped. */
  get geometry(): RowGeometry<Group> | "pending" | null {
    if (this.keys.length === 0 || this.#problem !== null) return null;
    return this.#geometry ?? "pending";
  }

  /** Reads the groups again: rows, or the view of them, have changed. */
  invalidate({ isOther }: { isOther: boolean }): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#read = null;
    if (isOther) {
      this.#groups = this.#geometry = this.#held = null;
      this.#problem = null;
    }
    if (this.keys.length > 0) void this.ready();
  }

  /** Resolves with the sort of rows when the groups are known; null where rows are not grouped. */
  async ready(): Promise<string | null> {
    if (this.keys.length === 0) return null;
    this.#read ??= this.#readGroups(this.#abort.signal);
    const read = this.#read;
    const found = await read;
    // It was replaced by a newer one.
    if (read !== this.#read) return this.ready();
    return found?.sort ?? null;
  }

  /** Other totals may be shown. */
  updateTotals(): void {
    if (!this.#groups || this.#totalsText === this.#measured) return;
    void this.#readMeasures(this.keys, { signal: this.#abort.signal, held: this.#held });
  }

  get #totalsText(): string {
    return JSON.stringify(this.#totals());
  }

  isFolded(key: string): boolean {
    return this.#folded.has(key);
  }

  toggle(key: string): void {
    if (!this.#folded.delete(key)) this.#folded.add(key);
    this.layOut();
    this.#table.changed();
  }

  foldAll(isFolded: boolean): void {
    this.#folded.clear();
    if (isFolded) for (const group of allOf(this.#groups ?? [])) this.#folded.add(group.key);
    this.layOut();
    this.#table.changed();
  }

  /** Returns why rows cannot be grouped by columns; null if they can. */
  async refusal(keys: readonly GroupKey[]): Promise<string | null> {
    try {
      await this.#fetch(keys, { limit: 1, measures: {}, signal: new AbortController().signal, held: null });
      return null;
    } catch (error) {
      return this.#problemText(error);
    }
  }

  /** Groups are folded otherwise, or rows have another height. */
  layOut(): void {
    const { groups } = this;
    this.#geometry = groups && new RowGeometry(groups, ({ key }) => this.#folded.has(key), this.#table.heights());
  }

  async #readGroups(signal: AbortSignal): Promise<ReadGroups | null> {
    const keys = this.keys;
    const names = keys.map(({ key }) => key);
    try {
      // The id of a row that was just added is known by then.
      await Promise.resolve();
      const held = this.#table.held();
      const answer = await this.#fetch(names, { limit: MAX_GROUP_ROWS + 1, measures: {}, signal, held });
      if (answer.total > MAX_GROUP_ROWS) throw new TooManyGroups(answer.total);
      const groups = groupTree(keys, answer);
      this.#problem = null;
      this.#show(groups, { signal, held });
      void this.#readMeasures(keys, { signal, held });
      return { groups, sort: answer.recordSort };
    } catch (error) {
      if (isAborted(error) || signal.aborted) return null;
      this.#problem = this.#problemText(error);
      this.#groups = this.#geometry = null;
      this.#table.changed();
      return null;
    }
  }

  #show(groups: readonly Group[], { signal, held }: GroupsRead): void {
    if (signal.aborted) return;
    this.#groups = groups;
    this.#held = held;
    this.layOut();
    this.#table.changed();
  }

  /** Totals are read after the groups, which never wait for them. */
  async #readMeasures(keys: Grouping["keys"], read: GroupsRead): Promise<void> {
    const measures = Object.fromEntries(this.#totals().map(([id, total]) => [`m:${id}`, measureOf(total, id)]));
    this.#measured = this.#totalsText;
    if (Object.keys(measures).length === 0) return;
    try {
      const names = keys.map(({ key }) => key);
      this.#show(groupTree(keys, await this.#fetch(names, { limit: MAX_GROUP_ROWS, measures, ...read })), read);
    } catch {
      // Groups are shown without totals; the footer says why one cannot be read.
    }
  }

  #totals(): [string, Total][] {
    const { columns, view } = this.#table;
    return Object.entries(view.state.totals).filter(([id, total]) => {
      const column = columns().find((each) => each.id === id);
      return column !== undefined && totalsOf(column).includes(total);
    });
  }

  #fetch(
    keys: readonly GroupKey[],
    { limit, measures, signal, held }: GroupsRead & { limit: number; measures: Readonly<Record<string, unknown>> },
  ): Promise<AggregatedGroups> {
    const { path, view, storedId } = this.#table;
    const heldId = held ? storedId(held.id) : 0;
    const filter = heldId > 0 ? withoutRow(view.query.filter, heldId) : (view.query.filter ?? "{}");
    const body = {
      groupBy: keys.map(({ columnId, by }, at) => ({
        column: columnId,
        ...(by && { by }),
        as: `g${at}`,
        // Periods are named by the page.
        ...(by === null && { text: `t${at}` }),
      })),
      measures: { rows: "count", ...measures },
      sort: keys.map(({ isDescending }, at) => `${isDescending ? "-" : ""}g${at}`),
      filter: JSON.parse(filter) as unknown,
      recordOrder: true,
      subtotals: true,
      maxValues: MAX_VALUES,
      limit,
    };
    return apiWithRetry<AggregatedGroups>(`${path}/aggregate`, { method: "POST", body, signal });
  }

  #problemText(error: unknown): string {
    if (error instanceof TooManyGroups) return t("table.groups.tooMany", { count: error.count, max: MAX_GROUP_ROWS });
    if (!(error instanceof ApiError) || error.details["code"] !== "aggregate.too_many_values")
      return error instanceof Error ? error.message : String(error);
    const { column: id, values } = error.details;
    const column = this.#table.columns().find((each) => each.id === id)?.name ?? String(id);
    return typeof values === "number"
      ? t("table.groups.tooManyValues", { column, count: values, max: MAX_VALUES })
      : t("table.groups.farTooManyValues", { column, max: MAX_VALUES });
  }
}

class TooManyGroups extends Error {
  readonly count: number;

  constructor(count: number) {
    super("too many groups");
    this.count = count;
  }
}

function* allOf(groups: readonly Group[]): Generator<Group> {
  for (const group of groups) {
    yield group;
    yield* allOf(group.groups);
  }
}

/** Dates are grouped by month at first: few share a day. */
export const defaultPeriod = ({ type }: Column): GroupKey["by"] =>
  type.base === "Date" || type.base === "DateTime" ? "month" : null;

/** Files have no values to group by. */
export const canGroupBy = ({ type, isEmpty }: Column): boolean => type.base !== "Attachments" && !isEmpty;
