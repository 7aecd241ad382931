import type { RowGeometry } from "../../../../base/client/grid/row-geometry.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import type { Group } from "../groups/group-tree.ts";

/** A group that contains a held row, and its position among the groups beside it. */
export interface HeldGroup {
  readonly group: Group;
  readonly index: number;
}

/** Where a row is that is held. */
export interface HeldPlace {
  /** The position among all rows; null for a new row, which follows them. */
  readonly position: number | null;
  /** The groups that contain it, the outermost first. */
  readonly groups: readonly HeldGroup[];
}

/**
 * A row that stays where it was edited, although filter, sort or groups may place it elsewhere. Meanwhile, all other rows
 * are read without it.
 */
export class HeldRow {
  /** Temporary while the row is being added. */
  readonly id: number;
  readonly groups: readonly HeldGroup[];
  /** The record as it is stored. */
  record: RecordJson;
  /** With the values that are being saved. */
  shown: RecordJson;
  #position: number | null;
  /** The position in its innermost group. */
  #inGroup = 0;

  constructor(record: RecordJson, { position, groups }: HeldPlace, geometry: RowGeometry | null) {
    this.id = record.id;
    this.record = this.shown = record;
    this.#position = position;
    this.groups = groups;
    const start = this.#groupStart(geometry);
    if (position !== null && start !== undefined) this.#inGroup = position - start;
  }

  get position(): number | null {
    return this.#position;
  }

  /** True for a new row, which follows all others. */
  get isNew(): boolean {
    return this.#position === null;
  }

  /** Converts a position among all rows to one among the read rows. */
  offsetOf(position: number): number {
    return this.#position !== null && position > this.#position ? position - 1 : position;
  }

  /** Converts a position among the rows that are read to one among all rows. */
  positionOf(offset: number): number {
    return this.#position !== null && offset >= this.#position ? offset + 1 : offset;
  }

  /** Rows were inserted or deleted above the view. */
  moveBy(rows: number): void {
    if (this.#position !== null) this.#position = Math.max(0, this.#position + rows);
  }

  /** Stays in its group, whatever precedes it. */
  follow(geometry: RowGeometry | null): void {
    const start = this.#groupStart(geometry);
    if (this.#position === null || start === undefined) return;
    const last = Math.max(0, (geometry?.find(this.groups.at(-1)?.group.key ?? "")?.group.rowCount ?? 1) - 1);
    this.#position = start + Math.min(this.#inGroup, last);
  }

  #groupStart(geometry: RowGeometry | null): number | undefined {
    const key = this.groups.at(-1)?.group.key;
    return key === undefined ? undefined : geometry?.startOf(key);
  }
}

/** Adds a held row to the groups that were read without it. */
export function withHeldRow(groups: readonly Group[], [held, ...inner]: readonly HeldGroup[]): readonly Group[] {
  if (!held) return groups;
  const at = groups.findIndex(({ key }) => key === held.group.key);
  const group = groups[at] ?? { ...held.group, rowCount: 0, groups: [] };
  const added = { ...group, rowCount: group.rowCount + 1, groups: withHeldRow(group.groups, inner) };
  return at >= 0 ? groups.with(at, added) : groups.toSpliced(Math.min(held.index, groups.length), 0, added);
}

/** Returns the groups that contain a row. */
export function heldGroups(geometry: RowGeometry | null, groups: readonly Group[], row: number): HeldGroup[] {
  let beside = groups;
  return (geometry?.groupsOf(row) ?? []).flatMap(({ key }) => {
    const index = beside.findIndex((each) => each.key === key);
    const group = beside[index];
    beside = group?.groups ?? [];
    return group ? [{ group, index }] : [];
  });
}

/** Returns a filter without a row. */
export function withoutRow(filter: string | undefined, id: number): string {
  const other = { id: { ne: id } };
  return JSON.stringify(filter === undefined ? other : { and: [JSON.parse(filter) as unknown, other] });
}
