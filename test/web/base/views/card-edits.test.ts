import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { leavesOf } from "../../../../src/web/base/views/box-layout.ts";
import {
  type CardAction,
  cardTheme,
  hideFieldActions,
  layoutActions,
  showFieldActions,
  themeActions,
} from "../../../../src/web/base/views/card-edits.ts";
import { LAYOUT_EDITS, parseCardLayout } from "../../../../src/web/base/views/card-layout.ts";
import { readSections, type SectionData } from "../../../../src/web/base/views/section-data.ts";
import { Random } from "../../../helpers/random.ts";
import { Scratch } from "../../../doc/actions/scratch.ts";

const NAMES = ["A", "B", "C", "D"];

let scratch: Scratch;
let ref = 0;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([["AddTable", "Items", NAMES.map((id) => ({ id, type: "Text" }))]]);
  const { ref: table } = scratch.document.schema.tableById.get("Items") ?? {};
  const made = scratch.do("CreateViewSection", table, 0, "detail", null, null) as { sectionRef: number };
  ref = made.sectionRef;
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

function records(table: string, columns: readonly string[]) {
  const rows = scratch.document.db.values(`select id, ${columns.join(", ")} from ${table} order by id`);
  return rows.map(([id, ...cells]) => ({
    id: Number(id),
    fields: Object.fromEntries(columns.map((column, at) => [column, cells[at]])),
  }));
}

function section(): SectionData {
  const found = readSections(
    {
      sections: records("_grist_Views_section", [
        "tableRef",
        "parentId",
        "parentKey",
        "theme",
        "options",
        "layoutSpec",
      ]),
      fields: records("_grist_Views_section_field", ["parentId", "colRef", "parentPos", "widgetOptions"]),
      filters: [],
    },
    new Map(),
  ).find((each) => each.ref === ref);
  if (!found) throw new Error("The section does not exist.");
  return found;
}

const columnOf = (field: number): string => {
  const { colRef } = section().fields.find((each) => each.ref === field) ?? {};
  const { columns = [] } = scratch.document.schema.tableById.get("Items") ?? {};
  return columns.find((column) => column.ref === colRef)?.id ?? "";
};
const fieldOf = (column: string) => section().fields.find((field) => columnOf(field.ref) === column)?.ref ?? 0;
const rows = () =>
  (parseCardLayout(section().layoutSpec, section().fields).root.children ?? []).map((row) =>
    leavesOf(row).map(columnOf).join(""),
  );
const order = () => section().fields.map((field) => columnOf(field.ref));
const apply = (actions: readonly CardAction[]) => scratch.apply([...actions]);

/** The metadata without the fields that an edit may write. */
function others(written: Readonly<Record<string, readonly string[]>>): unknown {
  const { db } = scratch.document;
  const tables = db.values("select name from sqlite_master where type = 'table' and name glob '_grist_*'").map(String);
  return tables.map((table) => {
    const columns = db
      .values(`select name from pragma_table_info('${table}')`)
      .map(String)
      .filter((column) => !written[table]?.includes(column));
    return [table, db.values(`select ${columns.map((column) => `"${column}"`).join(", ")} from ${table} order by id`)];
  });
}

const LAYOUT = { _grist_Views_section: ["layoutSpec"], _grist_Views_section_field: ["parentPos"] };

describe("edits of cards", () => {
  test("an edit of the layout writes the layout and the positions of fields only", () => {
    expect(rows()).toEqual(["AB", "CD"]);
    const before = others(LAYOUT);
    const actions = layoutActions(section(), fieldOf("C"), "moveUp");
    expect(actions.map(([name, table]) => [name, table])).toEqual([
      ["BulkUpdateRecord", "_grist_Views_section_field"],
      ["UpdateRecord", "_grist_Views_section"],
    ]);
    apply(actions);
    expect(rows()).toEqual(["AC", "BD"]);
    expect(order()).toEqual(["A", "C", "B", "D"]);
    expect(others(LAYOUT)).toEqual(before);
  });

  test("an edit that moves no field writes no positions", () => {
    const actions = layoutActions(section(), fieldOf("B"), "below");
    expect(actions.map(([name]) => name)).toEqual(["UpdateRecord"]);
    apply(actions);
    expect(rows()).toEqual(["A", "B", "CD"]);
    expect(layoutActions(section(), fieldOf("A"), "moveUp")).toEqual([]);
  });

  test("unknown keys of the layout stay", () => {
    apply([["UpdateRecord", "_grist_Views_section", ref, { layoutSpec: '{"note":"x","leaf":77,"size":3}' }]]);
    apply(layoutActions(section(), fieldOf("B"), "below"));
    expect(JSON.parse(section().layoutSpec)).toMatchObject({ note: "x", size: 3 });
    expect(JSON.parse(section().layoutSpec)).not.toHaveProperty("leaf");
    expect(rows()).toEqual(["A", "B", "CD"]);
  });

  test("hiding a field removes it, and its place in a stored layout", () => {
    const before = section().layoutSpec;
    expect(hideFieldActions(section(), fieldOf("B"))).toHaveLength(1);
    apply(hideFieldActions(section(), fieldOf("B")));
    expect(section().layoutSpec).toBe(before);
    expect(rows()).toEqual(["AC", "D"]);
    apply(layoutActions(section(), fieldOf("C"), "below"));
    const hidden = fieldOf("C");
    apply(hideFieldActions(section(), hidden));
    expect(section().layoutSpec).not.toContain(String(hidden));
    expect(rows()).toEqual(["A", "D"]);
  });

  test("showing a column adds a field at the end", () => {
    const { colRef = 0 } = section().fields.find((field) => field.ref === fieldOf("B")) ?? {};
    apply(layoutActions(section(), fieldOf("B"), "moveDown"));
    apply(hideFieldActions(section(), fieldOf("B")));
    const { layoutSpec } = section();
    apply(showFieldActions(section(), colRef));
    expect(section().layoutSpec).toBe(layoutSpec);
    expect(order()).toEqual(["A", "C", "D", "B"]);
  });

  test("the theme is a field of the section", () => {
    const written = { _grist_Views_section: ["theme"] };
    const before = others(written);
    apply(themeActions(section(), "blocks"));
    expect(cardTheme(section().theme)).toBe("blocks");
    expect(others(written)).toEqual(before);
    expect(["", "form", "compact", "other"].map(cardTheme)).toEqual(["form", "form", "compact", "form"]);
  });

  test("the order of fields is always that of the layout", () => {
    const random = new Random(11);
    for (let step = 0; step < 60; step++) {
      apply(layoutActions(section(), fieldOf(random.pick(NAMES)), random.pick([...LAYOUT_EDITS])));
      expect(order().join("")).toBe(rows().join(""));
    }
  });
});
