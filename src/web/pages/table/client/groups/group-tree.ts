/** Makes a tree of the groups that the API returns, level by level. */
import type { RowGroup } from "../../../../base/client/grid/row-geometry.ts";
import type { GroupKey } from "../../../../base/view-state.ts";
import type { Column } from "../columns/columns.ts";

/** A group, with its value as the API returns it. */
export interface Group extends RowGroup {
  readonly column: Column;
  readonly by: GroupKey["by"];
  readonly value: unknown;
  readonly text: string;
  /** Measures by column id; null while they are not known. */
  readonly measures: Readonly<Record<string, unknown>> | null;
  readonly groups: readonly Group[];
}

type Aggregated = Readonly<Record<string, unknown>>;

/** The response of `aggregate`: groups by all columns, and before them those by the first column, by the first two, … */
export interface AggregatedGroups {
  readonly groups: readonly Aggregated[];
  readonly total: number;
  readonly subtotals: readonly (readonly Aggregated[])[];
  readonly recordSort: string;
}

type Keys = readonly { readonly key: GroupKey; readonly column: Column }[];

/** Values are named `g0`, `g1`, …, their texts `t0`, …, and measures by column `m:<id>`; `rows` is the number of rows. */
export function groupTree(keys: Keys, { groups, subtotals }: AggregatedGroups): Group[] {
  const levels = [...subtotals, groups];
  // Groups of a level follow each other in the order of the groups that contain them.
  const next = levels.map(() => 0);
  const take = (level: number, rowCount: number, parent: string): Group[] => {
    const own: Group[] = [];
    const repeated = new Map<string, number>();
    for (let rows = 0; rows < rowCount;) {
      const found = levels[level]?.[next[level] ?? 0];
      const key = keys[level];
      if (!found || !key) break;
      next[level] = (next[level] ?? 0) + 1;
      const group = groupOf(found, { ...key, level, parent });
      // Errors of different kinds may read alike.
      const times = repeated.get(group.key) ?? 0;
      repeated.set(group.key, times + 1);
      if (times > 0) group.key += `#${times}`;
      rows += group.rowCount;
      own.push(level + 1 < keys.length ? { ...group, groups: take(level + 1, group.rowCount, group.key) } : group);
    }
    return own;
  };
  return take(0, Infinity, "");
}

function groupOf(
  found: Aggregated,
  { key: { by }, column, level, parent }: Keys[number] & { level: number; parent: string },
): Group & { key: string } {
  const value = found[`g${level}`] ?? null;
  const text = [found[`t${level}`], value, ""].find((each) => typeof each === "string") as string;
  const measures = Object.entries(found).flatMap(([name, measure]) =>
    name.startsWith("m:") ? [[name.slice(2), measure] as const] : [],
  );
  return {
    key: `${parent}${JSON.stringify([value, text])}`,
    level,
    rowCount: Number(found["rows"]),
    column,
    by,
    value,
    text,
    measures: measures.length > 0 ? Object.fromEntries(measures) : null,
    groups: [],
  };
}
