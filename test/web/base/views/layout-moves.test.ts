import { describe, expect, test } from "bun:test";
import {
  formatBoxLayout,
  type LayoutBox,
  leavesOf,
  parseBoxLayout,
} from "../../../../src/web/base/views/box-layout.ts";
import { DIRECTIONS, moveLeaf, placeBeside, resizeLeaf } from "../../../../src/web/base/views/layout-moves.ts";
import { collapseSection, expandSection } from "../../../../src/web/base/views/section-edits.ts";

/** Boxes as nested lists, which are stacked and side by side in turns: `[1, [2, 3]]` is 1 above 2 beside 3. */
type Short = number | Short[];

const boxOf = (short: Short): LayoutBox =>
  typeof short === "number" ? { leaf: short, size: 100 } : { children: short.map(boxOf), size: 100 };

const shortOf = ({ leaf, children = [] }: LayoutBox): Short => leaf ?? children.map(shortOf);

const moved = (from: Short, leaf: number, direction: (typeof DIRECTIONS)[number]): Short | null => {
  const box = moveLeaf(boxOf(from), leaf, direction);
  return box && shortOf(box);
};

describe("a section moves", () => {
  test.each([
    ["up and down among others", [1, 2, 3], 2, "up", [2, 1, 3]],
    ["down", [1, 2, 3], 2, "down", [1, 3, 2]],
    ["left and right in a row", [[1, 2]], 2, "left", [[2, 1]]],
    ["beside the one above", [1, 2], 2, "right", [[1, 2]]],
    ["to the other side of it", [1, 2], 2, "left", [[2, 1]]],
    ["beside the one below, if it is the first", [1, 2], 1, "right", [[2, 1]]],
    ["into the row above", [[1, 2], 3], 3, "right", [[1, 2, 3]]],
    ["out of a row", [[1, 2], 3], 2, "down", [1, 2, 3]],
    ["out of a row, above it", [[1, 2, 4], 3], 2, "up", [2, [1, 4], 3]],
    ["out of a stack in a row", [[1, [2, 3]]], 3, "left", [[1, 3, 2]]],
    ["out of a stack, above its row", [[1, [2, 3]]], 2, "up", [2, [1, 3]]],
  ] as const)("%s", (_, from, leaf, direction, to) => {
    expect(moved(from as unknown as Short, leaf, direction)).toEqual(to as unknown as Short);
  });

  test.each([
    ["above the first", [1, 2], 1, "up"],
    ["beyond the end of a row", [[1, 2]], 2, "right"],
    ["to the side alone", [1], 1, "left"],
  ] as const)("not %s", (_, from, leaf, direction) => {
    expect(moved(from as unknown as Short, leaf, direction)).toBeNull();
  });

  test("in every way without losing a section", () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
    let box = boxOf([[1, [2, 3]], 4, [5, 6]]);
    for (let step = 0; step < 2000; step++) {
      const leaf = 1 + random(6);
      const direction = DIRECTIONS[random(4)] ?? "up";
      const target = 1 + random(6);
      const next = random(2) === 0 ? moveLeaf(box, leaf, direction) : placeBeside(box, leaf, { target, direction });
      box = next ?? box;
      expect(leavesOf(box).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
      const stored = parseBoxLayout(formatBoxLayout({ root: box, collapsed: [] }), [1, 2, 3, 4, 5, 6]);
      expect(shortOf(stored.root)).toEqual(shortOf(box));
    }
  });
});

test("a section is dropped at each side of another", () => {
  const from = boxOf([[1, 2], 3]);
  const dropped = (direction: (typeof DIRECTIONS)[number]) => {
    const box = placeBeside(from, 3, { target: 2, direction });
    return box && shortOf(box);
  };
  expect(dropped("left")).toEqual([[1, 3, 2]]);
  expect(dropped("right")).toEqual([[1, 2, 3]]);
  expect(dropped("up")).toEqual([[1, [3, 2]]]);
  expect(dropped("down")).toEqual([[1, [2, 3]]]);
});

describe("a section is resized", () => {
  test("within its row, whose total stays", () => {
    const sizes = resizeLeaf(boxOf([[1, 2]]), 1, "x", 1)?.children?.[0]?.children?.map(({ size }) => size);
    expect(sizes).toEqual([120, 80]);
  });

  test("in height, with the row that contains it", () => {
    expect(resizeLeaf(boxOf([[1, 2], 3]), 1, "y", -1)?.children?.map(({ size }) => size)).toEqual([80, 120]);
  });

  test("only beside others, and not to nothing", () => {
    expect(resizeLeaf(boxOf([1, 2]), 1, "x", 1)).toBeNull();
    let box: LayoutBox | null = boxOf([[1, 2]]);
    let steps = 0;
    for (; box && steps < 50; steps++) box = resizeLeaf(box, 1, "x", 1);
    expect(steps).toBeLessThan(10);
  });
});

test("a section is collapsed, and put back below the others", () => {
  const layout = { root: boxOf([[1, 2], 3]), collapsed: [] };
  const collapsed = collapseSection(layout, 2);
  expect(formatBoxLayout(collapsed)).toBe(
    '{"children":[{"children":[{"leaf":1}]},{"leaf":3}],"collapsed":[{"leaf":2}]}',
  );
  expect(leavesOf(expandSection(collapsed, 2).root)).toEqual([1, 3, 2]);
});
