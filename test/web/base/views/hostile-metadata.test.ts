/** Settings that no program writes, and that a file can have all the same. */
import { expect, test } from "bun:test";
import { parseBoxLayout } from "../../../../src/web/base/views/box-layout.ts";
import { parseCardLayout } from "../../../../src/web/base/views/card-layout.ts";
import { jsonObject, withJsonKeys } from "../../../../src/web/base/views/metadata-values.ts";
import { viewBase } from "../../../../src/web/base/views/quern-options.ts";
import { spanBounds } from "../../../../src/web/base/views/relative-spans.ts";
import { kindInfo, presentationOf } from "../../../../src/web/base/views/section-title.ts";
import { readSectionView } from "../../../../src/web/base/views/section-view.ts";
import { columnOf, sectionOf } from "./sections.ts";

const OBJECT_PROPERTIES = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"];

test.each(OBJECT_PROPERTIES)("a section of the kind %j is one of an unknown kind", (kind) => {
  expect(presentationOf(kind)).toBe("placeholder");
  expect(kindInfo(kind).label).toBe("view.kind.unknown");
});

test.each(OBJECT_PROPERTIES)("no span of days has the name %j", (name) => expect(spanBounds(name)).toBeNull());

test("keys of objects are kept as keys", () => {
  const changed = withJsonKeys('{"__proto__":{"polluted":1},"constructor":2,"x":3}', { x: undefined, y: 4 });
  expect(changed).toBe('{"__proto__":{"polluted":1},"constructor":2,"y":4}');
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

const DEPTH = 200_000;
const nested = (open: string, inner: string, close: string): string => open.repeat(DEPTH) + inner + close.repeat(DEPTH);
const COLUMNS = [columnOf("Name", 2)];

test("filters that nest without end do not apply", () => {
  const { sortColRefs } = sectionOf();
  const base = JSON.stringify(viewBase({ sortColRefs, filters: [] }));
  const deep = [nested('{"not":', "{}", "}"), `{"2":${nested("[", "1", "]")}}`];
  for (const filter of deep) {
    const options = `{"quern":{"v":1,"base":${base},"filter":${filter}}}`;
    expect(readSectionView(sectionOf({ options }), COLUMNS).state.filter).toEqual({});
  }
  const stored = { ref: 1, colRef: 2, isPinned: false, filter: `{"included":${nested("[", "1", "]")}}` };
  expect(readSectionView(sectionOf({ filters: [stored] }), COLUMNS).state.filter).toEqual({});
});

test("layouts that nest without end show all boxes by the rule for those without a layout", () => {
  const layout = nested('{"children":[', '{"leaf":1}', "]}");
  const expected = [
    {
      children: [
        { leaf: 1, size: 100 },
        { leaf: 2, size: 100 },
      ],
      size: 100,
    },
  ];
  expect(parseBoxLayout(layout, [1, 2]).root.children).toEqual(expected);
  expect(parseCardLayout(layout, [{ ref: 1 }, { ref: 2 }]).root.children).toEqual(expected);
});

test("settings of any size are read, if they do not nest deeply", () => {
  const list = Array.from({ length: 5000 }, (_, at) => [at]);
  expect(jsonObject(JSON.stringify({ list }))["list"]).toEqual(list);
});
