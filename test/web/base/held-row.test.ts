import { describe, expect, test } from "bun:test";
import { RowGeometry } from "../../../src/web/base/client/grid/row-geometry.ts";
import { HeldRow, heldGroups, withHeldRow, withoutRow } from "../../../src/web/pages/table/client/rows/held-row.ts";
import type { Group } from "../../../src/web/pages/table/client/groups/group-tree.ts";

const group = (key: string, rowCount: number, groups: readonly Group[] = []): Group =>
  ({ key, rowCount, groups, level: 0 }) as unknown as Group;
const geometryOf = (groups: readonly Group[]) => new RowGeometry(groups, () => false, { row: 10, group: 10 });
const counts = (groups: readonly Group[]): unknown[] =>
  groups.map(({ key, rowCount, groups: inner }) =>
    inner.length > 0 ? [key, rowCount, counts(inner)] : [key, rowCount],
  );

const GROUPS = [group("a", 3, [group("a1", 1), group("a2", 2)]), group("b", 2, [group("b1", 2)])];

describe("a held row", () => {
  test("shifts the rows after it", () => {
    const held = new HeldRow({ id: 7, fields: {} }, { position: 2, groups: [] }, null);
    expect([0, 2, 3].map((at) => held.offsetOf(at))).toEqual([0, 2, 2]);
    expect([0, 1, 2].map((at) => held.positionOf(at))).toEqual([0, 1, 3]);
    held.moveBy(3);
    expect(held.position).toBe(5);
  });

  test("that is new shifts no rows", () => {
    const held = new HeldRow({ id: -1, fields: {} }, { position: null, groups: [] }, null);
    expect(held.offsetOf(9)).toBe(9);
    expect(held.positionOf(9)).toBe(9);
  });

  test("is counted in its groups, also in a group that is empty without it", () => {
    const geometry = geometryOf(GROUPS);
    const groups = heldGroups(geometry, GROUPS, 0);
    expect(groups.map(({ group: { key }, index }) => [key, index])).toEqual([
      ["a", 0],
      ["a1", 0],
    ]);
    const read = [group("a", 2, [group("a2", 2)]), group("b", 2, [group("b1", 2)])];
    expect(counts(withHeldRow(read, groups))).toEqual(counts(GROUPS));
    expect(counts(withHeldRow([group("b", 2, [group("b1", 2)])], groups))).toEqual([
      ["a", 1, [["a1", 1]]],
      ["b", 2, [["b1", 2]]],
    ]);
  });

  test("stays at its place in its group when the groups before it grow", () => {
    const geometry = geometryOf(GROUPS);
    const held = new HeldRow({ id: 7, fields: {} }, { position: 4, groups: heldGroups(geometry, GROUPS, 4) }, geometry);
    held.follow(geometryOf([group("a", 5, [group("a1", 3), group("a2", 2)]), group("b", 2, [group("b1", 2)])]));
    expect(held.position).toBe(6);
    held.follow(geometryOf([group("b", 1, [group("b1", 1)])]));
    expect(held.position).toBe(0);
  });

  test("is left out by the filter", () => {
    expect(JSON.parse(withoutRow(undefined, 7))).toEqual({ id: { ne: 7 } });
    expect(JSON.parse(withoutRow('{"A":[1]}', 7))).toEqual({ and: [{ A: [1] }, { id: { ne: 7 } }] });
  });
});
