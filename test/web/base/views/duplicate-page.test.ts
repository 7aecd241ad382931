/** Duplicates of pages, in a document. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { duplicatePage, translateLeaves } from "../../../../src/web/base/views/duplicate-page.ts";
import { Scratch } from "../../../doc/actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["RemoveTable", "Table1"],
    ["AddTable", "People", [{ id: "Name", type: "Text" }]],
    [
      "AddTable",
      "Sales",
      [
        { id: "Kind", type: "Choice" },
        { id: "Amount", type: "Numeric" },
        { id: "Who", type: "Ref:People" },
      ],
    ],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const rows = (table: string, where = "1") => {
  const columns = scratch.document.db
    .values(`select name from pragma_table_info('${table}')`)
    .map(([name]) => String(name));
  return scratch.document.db
    .values(`select ${columns.map((name) => `"${name}"`).join(", ")} from ${table} where ${where} order by id`)
    .map((cells) => {
      const fields: Record<string, unknown> = Object.fromEntries(columns.map((name, c) => [name, cells[c]]));
      // As the API returns them.
      const { rules } = fields;
      if (typeof rules === "string") fields["rules"] = ["L", ...(JSON.parse(rules) as number[])];
      if ("pinned" in fields) fields["pinned"] = fields["pinned"] === 1;
      return { id: Number(fields["id"]), fields };
    });
};

const next = (table: string) => Number(scratch.document.db.values(`select max(id) from ${table}`)[0]?.[0] ?? 0) + 1;
const refOf = (table: string, column: string) =>
  scratch.document.schema.tableById.get(table)?.columnById.get(column)?.ref ?? 0;

function duplicate(view: number) {
  const { tables } = scratch.document.schema;
  const sections = rows("_grist_Views_section", `parentId = ${view}`);
  const refs = sections.map(({ id }) => id).join(", ");
  const [record] = rows("_grist_Views", `id = ${view}`);
  if (!record) throw new Error("no view");
  return duplicatePage(
    {
      view: record,
      sections,
      fields: rows("_grist_Views_section_field", `parentId in (${refs})`),
      filters: rows("_grist_Filters", `viewSectionRef in (${refs})`),
    },
    {
      name: "Copy",
      firstIds: {
        view: next("_grist_Views"),
        section: next("_grist_Views_section"),
        field: next("_grist_Views_section_field"),
        filter: next("_grist_Filters"),
      },
      columns: tables.flatMap(({ ref: tableRef, columns }) =>
        columns.map(({ ref, id, formula }) => ({ ref, tableRef, id, formula })),
      ),
      tableIds: new Map(tables.map(({ ref, id }) => [ref, id])),
    },
  );
}

test("a duplicate has copies of all sections, with links, layouts, filters and styles", () => {
  const sales = scratch.document.schema.tableById.get("Sales")?.ref ?? 0;
  const make = (view: number, kind: string, groupBy: number[] | null = null) =>
    scratch.do("CreateViewSection", sales, view, kind, groupBy, null) as { viewRef: number; sectionRef: number };
  const { viewRef: view, sectionRef: grid } = make(0, "record");
  const { sectionRef: cards } = make(view, "detail");
  const { sectionRef: summary } = make(view, "record", [refOf("Sales", "Kind")]);
  const { sectionRef: form } = make(view, "form");
  const [field = 0] = rows("_grist_Views_section_field", `parentId = ${cards}`).map(({ id }) => id);
  const [asked = 0] = rows("_grist_Views_section_field", `parentId = ${form}`).map(({ id }) => id);
  scratch.apply([
    [
      "UpdateRecord",
      "_grist_Views",
      view,
      {
        layoutSpec: `{"children":[{"children":[{"leaf":${grid}},{"leaf":${cards},"size":30}]},{"leaf":999}],"collapsed":[{"leaf":${summary}}]}`,
      },
    ],
    [
      "UpdateRecord",
      "_grist_Views_section",
      cards,
      { linkSrcSectionRef: grid, theme: "compact", title: "Cards", layoutSpec: `{"children":[{"leaf":${field}}]}` },
    ],
    [
      "UpdateRecord",
      "_grist_Views_section",
      grid,
      { sortColRefs: `[-${refOf("Sales", "Amount")}]`, options: '{"numFrozen":1,"other":[1]}' },
    ],
    [
      "UpdateRecord",
      "_grist_Views_section",
      form,
      {
        shareOptions: '{"publish":true}',
        layoutSpec: `{"type":"Layout","children":[{"type":"Field","leaf":${asked},"id":"x"},{"type":"Submit"}]}`,
      },
    ],
    [
      "AddRecord",
      "_grist_Filters",
      null,
      { viewSectionRef: grid, colRef: refOf("Sales", "Kind"), filter: '{"included":["a"]}', pinned: true },
    ],
    [
      "RemoveRecord",
      "_grist_Views_section_field",
      rows("_grist_Views_section_field", `parentId = ${grid}`)[0]?.id ?? 0,
    ],
    [
      "UpdateRecord",
      "_grist_Views_section_field",
      field,
      { width: 77, widgetOptions: '{"rulesOptions":[{"fontBold":true}]}' },
    ],
    ["AddEmptyRule", "Sales", field, 0],
    ["ModifyColumn", "Sales", "gristHelper_ConditionalRule", { formula: "$Amount > 1" }],
    ["AddEmptyRule", "Sales", 0, refOf("Sales", "Amount")],
  ]);
  const before = scratch.content();
  const { undo } = scratch.apply(duplicate(view));
  const copy = next("_grist_Views") - 1;
  expect(rows("_grist_Views", `id = ${copy}`)[0]?.fields).toMatchObject({ name: "Copy", type: "empty" });
  expect(rows("_grist_Pages", `viewRef = ${copy}`)[0]?.fields).toMatchObject({ indentation: 0 });
  expect(rows("_grist_TabBar", `viewRef = ${copy}`)).toHaveLength(1);

  const pair = (id: number) => {
    const [source] = rows("_grist_Views_section", `id = ${id}`);
    const at = rows("_grist_Views_section", `parentId = ${view}`).findIndex((each) => each.id === id);
    return {
      source: source?.fields ?? {},
      copied: rows("_grist_Views_section", `parentId = ${copy}`)[at]?.fields ?? {},
    };
  };
  const without = (fields: Readonly<Record<string, unknown>>, names: readonly string[]) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  const comparable = (fields: Readonly<Record<string, unknown>>) =>
    without(fields, ["id", "parentId", "linkSrcSectionRef", "layoutSpec", "shareOptions"]);
  for (const id of [grid, cards, summary, form]) {
    const { source, copied } = pair(id);
    expect(comparable(copied)).toEqual(comparable(source));
    const fieldsOf = (section: unknown) =>
      rows("_grist_Views_section_field", `parentId = ${Number(section)}`)
        .toSorted((a, b) => Number(a.fields["parentPos"]) - Number(b.fields["parentPos"]))
        .map(({ fields }) => ({
          ...without(fields, ["id", "parentId", "parentPos", "rules"]),
          hasRules: Array.isArray(fields["rules"]),
        }));
    expect(fieldsOf(copied["id"])).toEqual(fieldsOf(source["id"]));
  }
  const { id: newGrid } = pair(grid).copied;
  const { id: newCards } = pair(cards).copied;
  expect(pair(cards).copied["linkSrcSectionRef"]).toBe(newGrid);
  expect(pair(form).copied["shareOptions"]).toBe("");
  expect(JSON.parse(String(rows("_grist_Views", `id = ${copy}`)[0]?.fields["layoutSpec"]))).toEqual({
    children: [{ children: [{ leaf: newGrid }, { leaf: newCards, size: 30 }] }],
    collapsed: [{ leaf: pair(summary).copied["id"] }],
  });
  const newFields = (section: unknown) => rows("_grist_Views_section_field", `parentId = ${Number(section)}`);
  const copiedField = newFields(newCards).find(({ fields }) => fields["width"] === 77);
  expect(JSON.parse(String(pair(cards).copied["layoutSpec"]))).toEqual({ children: [{ leaf: copiedField?.id }] });
  const question = newFields(pair(form).copied["id"])[0]?.id;
  expect(JSON.parse(String(pair(form).copied["layoutSpec"]))).toEqual({
    type: "Layout",
    children: [{ type: "Field", leaf: question, id: "x" }, { type: "Submit" }],
  });
  expect(rows("_grist_Filters", `viewSectionRef = ${Number(newGrid)}`)[0]?.fields).toMatchObject({
    colRef: refOf("Sales", "Kind"),
    filter: '{"included":["a"]}',
    pinned: true,
  });
  // The style of the copy is its own.
  expect(copiedField?.fields["rules"]).toEqual(["L", refOf("Sales", "gristHelper_ConditionalRule3")]);
  expect(scratch.column("Sales", "gristHelper_ConditionalRule3")).toMatchObject({ formula: "$Amount > 1" });

  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
});

test.each([
  ["_grist_Views", { name: "Other", type: "empty" }],
  ["_grist_Views_section", { parentId: 1, parentKey: "record", tableRef: 2 }],
  ["_grist_Views_section_field", { parentId: 1, colRef: 2 }],
  ["_grist_Filters", { viewSectionRef: 1, colRef: 2, filter: "{}" }],
])("a duplicate is refused as a whole when another client has taken its id of %s", (table, values) => {
  scratch.do("AddRecord", "_grist_Filters", null, { viewSectionRef: 1, colRef: 2, filter: '{"included":[]}' });
  const actions = duplicate(1);
  scratch.do("AddRecord", table, null, values);
  const before = scratch.content();
  expect(() => scratch.apply(actions)).toThrow();
  expect(scratch.content()).toEqual(before);
});

test("a duplicate of a page without sections is an empty page", () => {
  scratch.do("AddView", "Sales", "empty", "Plan");
  const view = next("_grist_Views") - 1;
  const actions = duplicate(view);
  expect(actions.map(([name]) => name)).toEqual(["AddRecord", "AddRecord", "AddRecord"]);
  scratch.apply(actions);
});

test("layouts that are no JSON are left out", () => {
  expect(translateLeaves("no", new Map())).toBe("");
  expect(translateLeaves('{"leaf":5}', new Map())).toBe("");
  expect(translateLeaves('{"leaf":5}', new Map([[5, 6]]))).toBe('{"leaf":6}');
});
