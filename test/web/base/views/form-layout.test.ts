import { describe, expect, test } from "bun:test";
import {
  boxAt,
  changeBox,
  columnsBox,
  fieldBox,
  fieldsIn,
  findBox,
  type FormBox,
  formatFormLayout,
  insertBox,
  leafOf,
  moveBox,
  movesOf,
  newFormLayout,
  paragraphBox,
  parseFormLayout,
  placeForNew,
  removeBox,
  sectionBox,
  walkBoxes,
} from "../../../../src/web/base/views/form-layout.ts";

const ids = (): (() => string) => {
  let last = 0;
  return () => `n${++last}`;
};

/** A layout in short: `[Section [F1 F2] Submit]`. */
function short(box: FormBox): string {
  const children = (box.children as FormBox[] | undefined)?.map(short).join(" ");
  const leaf = leafOf(box);
  const name = leaf === null ? (box.type === "Placeholder" ? "–" : box.type) : `F${leaf}`;
  return children === undefined ? name : `${name}[${children}]`;
}

const field = (leaf: number): FormBox => ({ type: "Field", id: `f${leaf}`, leaf });
const box = (type: string, ...children: FormBox[]): FormBox => ({ type, id: type, children });
const submit: FormBox = { type: "Submit", id: "submit" };
const layout = box("Layout", box("Section", field(1), field(2)), box("Columns", field(3), field(4)), field(5), submit);
const pathOf = (leaf: number): readonly number[] => findBox(layout, (each) => each.leaf === leaf) ?? [];

test.each(["", "{", "[]", "null", '"Layout"', '{"type":"Section"}', '{"children":[]}', 7, null])(
  "%p is no layout",
  (text) => expect(parseFormLayout(text)).toBeNull(),
);

test("reads and writes boxes, keys and children that it does not know", () => {
  const text =
    '{"type":"Layout","theme":{"b":1,"a":[2]},"children":[null,7,{"kind":"x"},{"type":"Map","zoom":3,"children":"none"},{"leaf":1,"type":"Field","id":"a","x":null}]}';
  const root = parseFormLayout(text);
  if (!root) throw new Error("no layout");
  expect(formatFormLayout(root)).toBe(text);
  expect([...walkBoxes(root)].map(({ path }) => path)).toEqual([[], [3], [4]]);
  expect(formatFormLayout(moveBox(root, [4], { parent: [], index: 0 }))).toBe(
    '{"type":"Layout","theme":{"b":1,"a":[2]},"children":[{"leaf":1,"type":"Field","id":"a","x":null},null,7,{"kind":"x"},{"type":"Map","zoom":3,"children":"none"}]}',
  );
  expect(formatFormLayout(changeBox(root, [4], { x: undefined, y: 1 }))).toEndWith(
    '{"leaf":1,"type":"Field","id":"a","y":1}]}',
  );
});

test("very deep layouts are read to a bounded depth, and kept", () => {
  const depth = 5000;
  const text = `${'{"type":"Layout","children":['.repeat(depth)}${"]}".repeat(depth)}`;
  const root = parseFormLayout(text);
  if (!root) throw new Error("no layout");
  expect([...walkBoxes(root)]).toHaveLength(21);
  expect(formatFormLayout(root)).toBe(text);
});

test("finds the fields of a box", () => {
  expect([...fieldsIn(layout)]).toEqual([1, 2, 3, 4, 5]);
  expect([...fieldsIn(boxAt(layout, [1]) ?? layout)]).toEqual([3, 4]);
  expect(boxAt(layout, [7, 1])).toBeNull();
  expect(fieldsIn({ type: "Layout", children: [{ type: "Field", leaf: "1" }] }).size).toBe(0);
});

describe("removing", () => {
  const without = (leaf: number): FormBox => removeBox(layout, pathOf(leaf), ids());

  test("a box", () => {
    expect(short(without(1))).toBe("Layout[Section[F2] Columns[F3 F4] F5 Submit]");
    expect(short(removeBox(layout, [0], ids()))).toBe("Layout[Columns[F3 F4] F5 Submit]");
    expect(removeBox(layout, [], ids())).toBe(layout);
  });

  test("keeps an empty column, which is removed separately", () => {
    const empty = without(3);
    expect(short(empty)).toBe("Layout[Section[F1 F2] Columns[– F4] F5 Submit]");
    const single = removeBox(empty, [1, 0], ids());
    expect(short(single)).toBe("Layout[Section[F1 F2] Columns[F4] F5 Submit]");
    const none = removeBox(removeBox(single, [1, 0], ids()), [1, 0], ids());
    expect(short(none)).toBe("Layout[Section[F1 F2] F5 Submit]");
  });
});

describe("moving", () => {
  const moved = (leaf: number, move: "back" | "on" | "in" | "out"): string => {
    const place = movesOf(layout, pathOf(leaf))[move];
    return place ? short(moveBox(layout, pathOf(leaf), place)) : "no";
  };

  test("back and on among siblings", () => {
    expect(moved(1, "back")).toBe("no");
    expect(moved(2, "back")).toBe("Layout[Section[F2 F1] Columns[F3 F4] F5 Submit]");
    expect(moved(1, "on")).toBe("Layout[Section[F2 F1] Columns[F3 F4] F5 Submit]");
    expect(moved(3, "on")).toBe("Layout[Section[F1 F2] Columns[F4 F3] F5 Submit]");
    expect(moved(4, "back")).toBe("Layout[Section[F1 F2] Columns[F4 F3] F5 Submit]");
    expect(moved(5, "back")).toBe("Layout[Section[F1 F2] F5 Columns[F3 F4] Submit]");
  });

  test("never below the button, which stays", () => {
    expect(moved(5, "on")).toBe("no");
    expect(movesOf(layout, [3])).toEqual({});
    expect(movesOf(layout, [])).toEqual({});
    expect(movesOf(layout, [9])).toEqual({});
  });

  test("into the container beside it, and out", () => {
    expect(moved(5, "in")).toBe("Layout[Section[F1 F2] Columns[F3 F4 F5] Submit]");
    expect(moved(1, "out")).toBe("Layout[Section[F2] F1 Columns[F3 F4] F5 Submit]");
    expect(moved(5, "out")).toBe("no");
    expect(moved(3, "out")).toBe("Layout[Section[F1 F2] Columns[– F4] F3 F5 Submit]");
  });

  test("into an empty column", () => {
    const root = removeBox(layout, pathOf(3), ids());
    const place = movesOf(root, [2]).in;
    if (!place) throw new Error("no place");
    expect(short(moveBox(root, [2], place))).toBe("Layout[Section[F1 F2] Columns[F5 F4] Submit]");
    expect(short(moveBox(root, [1, 1], { parent: [1], index: 0 }))).toBe(
      "Layout[Section[F1 F2] Columns[F4] F5 Submit]",
    );
  });

  test("not into itself, and a section not into a section", () => {
    expect(moveBox(layout, [0], { parent: [0], index: 1 })).toBe(layout);
    const two = box("Layout", box("Section", field(1)), box("Section", field(2)), submit);
    expect(movesOf(two, [1])).toEqual({ back: { parent: [], index: 0 } });
  });

  test("keeps the box itself, with what it contains", () => {
    const section = boxAt(layout, [0]);
    const result = moveBox(layout, [0], { parent: [], index: 3 });
    expect(short(result)).toBe("Layout[Columns[F3 F4] F5 Section[F1 F2] Submit]");
    expect(boxAt(result, [2])).toBe(section);
  });
});

describe("adding", () => {
  const added = (selected: readonly number[] | null, root = layout, make = fieldBox(9, ids())): string =>
    short(insertBox(root, placeForNew(root, make, selected), make));

  test("goes to the end of the last section without a selection, or above the button", () => {
    expect(added(null)).toBe("Layout[Section[F1 F2 F9] Columns[F3 F4] F5 Submit]");
    expect(added(null, box("Layout", field(1), submit))).toBe("Layout[F1 F9 Submit]");
    expect(added(null, { type: "Layout" })).toBe("Layout[F9]");
  });

  test("goes after the selected box, or into it", () => {
    expect(added(pathOf(1))).toBe("Layout[Section[F1 F9 F2] Columns[F3 F4] F5 Submit]");
    expect(added([0])).toBe("Layout[Section[F1 F2 F9] Columns[F3 F4] F5 Submit]");
    expect(added(pathOf(5))).toBe("Layout[Section[F1 F2] Columns[F3 F4] F5 F9 Submit]");
    expect(added([3])).toBe("Layout[Section[F1 F2] Columns[F3 F4] F5 F9 Submit]");
    expect(added([1])).toBe("Layout[Section[F1 F2] Columns[F3 F4 F9] F5 Submit]");
    expect(added(pathOf(3))).toBe("Layout[Section[F1 F2] Columns[F3 F4] F9 F5 Submit]");
  });

  test("fills the selected empty column", () => {
    const root = box("Layout", columnsBox(ids()), submit);
    expect(added([0, 1], root)).toBe("Layout[Columns[– F9] Submit]");
    expect(added([0], root)).toBe("Layout[Columns[F9 –] Submit]");
  });

  test("sections go beside sections, columns not into columns", () => {
    expect(added(pathOf(1), layout, { type: "Section" })).toBe(
      "Layout[Section[F1 F2] Section Columns[F3 F4] F5 Submit]",
    );
    expect(added([1], layout, { type: "Columns" })).toBe("Layout[Section[F1 F2] Columns[F3 F4] Columns F5 Submit]");
  });
});

test("a new form has a heading, a description, a section with the first nine fields, and the button", () => {
  const root = newFormLayout({ fields: [11, 12, 13, 14, 15, 16, 17, 18, 19, 20], title: "A *b*\n<i>", newId: ids() });
  expect(short(root)).toBe(
    "Layout[Paragraph Paragraph Section[Paragraph Paragraph F11 F12 F13 F14 F15 F16 F17 F18 F19] Submit]",
  );
  expect(boxAt(root, [0])).toMatchObject({ text: String.raw`## A \*b\* \<i\>`, alignment: "center" });
  const all = [...walkBoxes(root)].map((each) => each.box.id);
  expect(new Set(all).size).toBe(all.length);
});

test("new boxes have ids of their own", () => {
  expect(sectionBox(ids(), [field(1)]).children).toHaveLength(3);
  expect(paragraphBox("---", ids())).toEqual({ id: "n1", type: "Paragraph", text: "---" });
});
