import { describe, expect, test } from "bun:test";
import {
  type BoxLayout,
  formatBoxLayout,
  leavesOf,
  parseBoxLayout,
} from "../../../../src/web/base/views/box-layout.ts";
import { DIRECTIONS, moveLeaf } from "../../../../src/web/base/views/layout-moves.ts";
import { saveLayout } from "../../../../src/web/base/views/save-layout.ts";
import { collapseSection, expandSection } from "../../../../src/web/base/views/section-edits.ts";

/** Boxes as nested lists: `[[1, 2], 3]` is a row of two sections above a third one. */
type Nested = number | readonly Nested[];

const spec = (box: Nested): Record<string, unknown> =>
  typeof box === "number" ? { leaf: box } : { children: box.map(spec) };

const nested = (box: Readonly<Record<string, unknown>>): Nested =>
  box["leaf"] === undefined ? (box["children"] as Record<string, unknown>[]).map(nested) : Number(box["leaf"]);

function saved(layoutSpec: string, layout: BoxLayout): Record<string, unknown> {
  const [[action, table, view, values] = []] = saveLayout({ view: 3, layoutSpec }, layout);
  expect([action, table, view]).toEqual(["UpdateRecord", "_grist_Views", 3]);
  return JSON.parse((values as { layoutSpec: string }).layoutSpec) as Record<string, unknown>;
}

describe("sections that the reader does not see stay", () => {
  // Sections from 10 on are hidden.
  test.each<[name: string, stored: Nested, Nested, after: Nested]>([
    ["in a row", [[1, 10, 2]], [[2, 1]], [[2, 1, 10]]],
    ["below a row", [[1, 2], 10, 3], [3, [1, 2]], [3, [1, 2], 10]],
    ["beside a section that has left its row", [[1, 10], 2], [2, 1], [2, [1, 10]]],
    ["beside a column that has become the page", [[[1, 2], 10]], [1, 2], [[[1, 2], 10]]],
    ["below a section that is in a row now", [1, 10, 2], [[1, 2]], [[[1, 10], 2]]],
    ["before all others", [10, 11, [12, 1], 2], [2, 1], [2, 10, 11, [12, 1]]],
    ["in boxes of their own", [[[10, 11], 1], [12, 13], 2], [[1, 2]], [[[10, 11], [1, [12, 13]], 2]]],
    ["with those around them in the tray", [[1, 10], 2, 11], [2], [[10], 2, 11]],
  ])("%s", (_, stored, arranged, after) => {
    const layoutSpec = JSON.stringify(spec(stored));
    const leaves = JSON.stringify(stored).match(/\d+/gu)?.map(Number) ?? [];
    const layout = parseBoxLayout(
      JSON.stringify(spec(arranged)),
      [1, 2, 3].filter((leaf) => JSON.stringify(arranged).includes(String(leaf))),
    );
    const collapsed = leaves.filter((leaf) => leaf < 10 && !leavesOf(layout.root).includes(leaf));
    expect(nested(saved(layoutSpec, { ...layout, collapsed }))).toEqual(after);
  });

  test("where they are when nothing else moves, and are never lost", () => {
    for (const stored of [
      [[1, 10], 2, [11, [3, 12]]],
      [10, [1, [11, 2]], [3, 12]],
      [
        [
          [10, 1, 11],
          [2, 3],
        ],
        12,
      ],
    ]) {
      const layoutSpec = JSON.stringify(spec(stored));
      const layout = parseBoxLayout(layoutSpec, [1, 2, 3]);
      expect(saved(layoutSpec, layout)).toEqual(spec(stored));
      for (const leaf of [1, 2, 3]) {
        for (const direction of DIRECTIONS) {
          const root = moveLeaf(layout.root, leaf, direction);
          if (!root) continue;
          const after = saved(layoutSpec, { root, collapsed: [] });
          const all = leavesOf(parseBoxLayout(JSON.stringify(after), []).root);
          expect(all).toEqual([]);
          const kept = parseBoxLayout(JSON.stringify(after), [1, 2, 3, 10, 11, 12]);
          expect(JSON.stringify(after).match(/"leaf"/gu)).toHaveLength(6);
          expect(leavesOf(kept.root).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 10, 11, 12]);
          // The reader sees the sections in the order in which they have arranged them.
          expect(leavesOf(parseBoxLayout(JSON.stringify(after), [1, 2, 3]).root)).toEqual(leavesOf(root));
        }
      }
    }
  });

  test("in the tray", () => {
    const layoutSpec = `{"children":[{"leaf":1},{"leaf":2}],"collapsed":[{"leaf":10,"x":1},{"leaf":3,"y":2}]}`;
    const layout = parseBoxLayout(layoutSpec, [1, 2, 3]);
    expect(saved(layoutSpec, collapseSection(layout, 2))["collapsed"]).toEqual([
      { leaf: 10, x: 1 },
      { leaf: 3, y: 2 },
      { leaf: 2 },
    ]);
    expect(saved(layoutSpec, expandSection(layout, 3))["collapsed"]).toEqual([{ leaf: 10, x: 1 }]);
  });
});

test("keys of other programs are kept, on the page and on its boxes", () => {
  const layoutSpec = `{"a":1,"children":[{"b":2,"children":[{"leaf":1,"c":3},{"leaf":2,"size":50}]},{"leaf":3,"d":4}]}`;
  const layout = parseBoxLayout(layoutSpec, [1, 2, 3]);
  const moved = moveLeaf(layout.root, 3, "up");
  expect(moved && saved(layoutSpec, { root: moved, collapsed: [] })).toEqual({
    a: 1,
    children: [
      { leaf: 3, d: 4 },
      {
        b: 2,
        children: [
          { leaf: 1, c: 3 },
          { leaf: 2, size: 50 },
        ],
      },
    ],
  });
});

test("a page of a single section is stored as rows", () => {
  expect(saved(`{"leaf":1,"x":1}`, parseBoxLayout("", [1, 2]))).toEqual({
    x: 1,
    children: [{ children: [{ leaf: 1 }, { leaf: 2 }] }],
  });
});

test("the layout of a page without hidden sections is that of the format", () => {
  const layout = parseBoxLayout("", [1, 2, 3]);
  expect(saved("", layout)).toEqual(JSON.parse(formatBoxLayout(layout)) as Record<string, unknown>);
});

test("boxes that are too deep are dropped", () => {
  const deep = `${`{"children":[`.repeat(5000)}{"leaf":10}${"]}".repeat(5000)}`;
  expect(saved(deep, parseBoxLayout(deep, [1]))).toEqual({ children: [{ leaf: 1 }] });
});
