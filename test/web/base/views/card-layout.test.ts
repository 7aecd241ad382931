import { describe, expect, test } from "bun:test";
import { formatBoxLayout, type LayoutBox, leavesOf } from "../../../../src/web/base/views/box-layout.ts";
import {
  editLayout,
  LAYOUT_EDITS,
  type LayoutEdit,
  parseCardLayout,
  withoutField,
} from "../../../../src/web/base/views/card-layout.ts";
import { Random } from "../../../helpers/random.ts";

type Shape = number | readonly Shape[];

const fieldsOf = (...refs: number[]) => refs.map((ref) => ({ ref }));
const box = (shape: Shape): unknown => (typeof shape === "number" ? { leaf: shape } : { children: shape.map(box) });
const layoutOf = (...rows: Shape[]): LayoutBox => {
  const refs = [rows].flat(9).map(Number);
  return parseCardLayout(JSON.stringify({ children: rows.map(box) }), fieldsOf(...refs)).root;
};
const shapeOf = ({ leaf, children = [] }: LayoutBox): Shape => leaf ?? children.map(shapeOf);

const EDITS: [name: string, edit: LayoutEdit, before: Shape[], after: Shape[] | null][] = [
  ["moves up to a row of its own", "moveUp", [1, 5, 2], [5, 1, 2]],
  ["moves up within a row", "moveUp", [1, [2, 5]], [1, [5, 2]]],
  ["moves up into the row above", "moveUp", [[1, 2], 5], [[1, 5], 2]],
  ["the first one does not move up", "moveUp", [[5, 1]], null],
  ["moves down", "moveDown", [[5, 1], 2], [[1, 5], 2]],
  ["the last one does not move down", "moveDown", [1, [2, 5]], null],
  ["goes beside the one above", "beside", [1, 5, 2], [[1, 5], 2]],
  ["goes beside the last one of a row", "beside", [[1, 2], 5], [[1, 2, 5]]],
  ["goes beside one in a column", "beside", [[[1, 2], 3], 5], [[[1, 2], 3, 5]]],
  ["makes a row inside of a column", "beside", [[1, [2, 5, 3]]], [[1, [[2, 5], 3]]]],
  ["replaces a column of two by a part of the row", "beside", [[1, [2, 5]]], [[1, 2, 5]]],
  ["stays beside its neighbour", "beside", [[1, 5]], null],
  ["the first one has none to be beside", "beside", [5, 1], null],
  ["leaves its row", "below", [[1, 5, 2], 3], [[1, 2], 5, 3]],
  ["leaves a row that ends", "below", [[5, 1]], [1, 5]],
  ["leaves its column", "below", [[1, [5, 2]], 3], [[1, 2], 5, 3]],
  ["leaves a row inside of a column", "below", [[1, [[2, 5], 3]]], [[1, [2, 5, 3]]]],
  ["a column that remains alone takes the whole width", "below", [[5, [1, 2]]], [1, 2, 5]],
  ["has its own line already", "below", [1, 5], null],
];

describe("edits of a card's layout", () => {
  test.each(EDITS)("a field %s", (_, edit, before, after) => {
    const edited = editLayout(layoutOf(...before), 5, edit);
    expect(edited && shapeOf(edited)).toEqual(after);
  });

  test("a field becomes wider and narrower within bounds", () => {
    const sizeOf = (root: LayoutBox | null) => root?.children?.[0]?.children?.[1]?.size;
    let root = layoutOf([1, 5]);
    const sizes: (number | undefined)[] = [];
    for (let edited = editLayout(root, 5, "narrower"); edited; edited = editLayout(root, 5, "narrower")) {
      root = edited;
      sizes.push(sizeOf(root));
    }
    expect(sizes).toEqual([80, 64, 51.2, 40.96, 32.77, 26.22]);
    expect(sizeOf(editLayout(root, 5, "wider"))).toBe(32.77);
    expect(editLayout(layoutOf(1, 5), 5, "wider")).toBeNull();
  });

  test("sizes that other programs store in another unit keep their proportion", () => {
    const text = '{"children":[{"children":[{"leaf":1,"size":1.2},{"leaf":5,"size":0.8}]}]}';
    const edited = editLayout(parseCardLayout(text, fieldsOf(1, 5)).root, 5, "wider");
    expect(edited && formatBoxLayout({ root: edited, collapsed: [] })).toBe(text.replace("0.8", "1"));
  });

  test("a field in a column resizes the column", () => {
    const edited = editLayout(layoutOf([1, [2, 5]]), 5, "wider");
    expect(edited && formatBoxLayout({ root: edited, collapsed: [] })).toBe(
      '{"children":[{"children":[{"leaf":1},{"children":[{"leaf":2},{"leaf":5}],"size":125}]}]}',
    );
  });

  test("a folded field is shown: cards hide none", () => {
    const { root, collapsed } = parseCardLayout('{"children":[{"leaf":1}],"collapsed":[{"leaf":2}]}', fieldsOf(1, 2));
    expect(collapsed).toEqual([]);
    expect(shapeOf(root)).toEqual([[1, 2]]);
  });

  test("no edit loses a field, or leaves a box that a reader arranges in another way", () => {
    const random = new Random(7);
    for (let run = 0; run < 300; run++) {
      const refs = [1, 2, 3, 4, 5, 6];
      let { root } = parseCardLayout("", fieldsOf(...refs));
      for (let step = 0; step < 12; step++) {
        root = editLayout(root, random.pick(refs), random.pick([...LAYOUT_EDITS])) ?? root;
        expect(leavesOf(root).toSorted((a, b) => a - b)).toEqual(refs);
        const stored = formatBoxLayout({ root, collapsed: [] });
        expect(shapeOf(parseCardLayout(stored, fieldsOf(...refs)).root)).toEqual(shapeOf(root));
      }
      const removed = random.pick(refs);
      expect(leavesOf(withoutField(root, removed)).toSorted((a, b) => a - b)).toEqual(
        refs.filter((ref) => ref !== removed),
      );
    }
  });
});
