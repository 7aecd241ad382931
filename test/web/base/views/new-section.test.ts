/** New sections, in a document. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  addSection,
  detachSection,
  type NewSection,
  regroupSection,
} from "../../../../src/web/base/views/new-section.ts";
import { Scratch } from "../../../doc/actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    ["RemoveTable", "Table1"],
    [
      "AddTable",
      "Sales",
      [
        { id: "Kind", type: "Choice" },
        { id: "Amount", type: "Numeric" },
        { id: "Files", type: "Attachments" },
        { id: "Double", type: "Numeric", isFormula: true, formula: "$Amount * 2" },
      ],
    ],
  ]);
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const sales = () => scratch.document.schema.tableById.get("Sales");
const value = (sql: string) => scratch.document.db.values(sql)[0]?.[0] ?? 0;
const kind = () => sales()?.columnById.get("Kind")?.ref ?? 0;

function add(request: Partial<NewSection>, groupings: readonly (readonly number[])[] = []) {
  let count = 0;
  const plan = addSection(
    { tableRef: sales()?.ref ?? 0, tableName: null, kind: "record", groupBy: null, view: 0, link: null, ...request },
    {
      lastSection: Number(value("select max(id) from _grist_Views_section")),
      lastField: Number(value("select max(id) from _grist_Views_section_field")),
      groupings,
      formColumns: 2,
      title: "Join us",
      newId: () => String(++count),
    },
  );
  const [made] = scratch.apply(plan.actions).retValues as [{ sectionRef?: number; viewRef?: number }];
  if (plan.section !== null) expect(made.sectionRef).toBe(plan.section);
  return { ...made, actions: plan.actions.map(([name]) => name) };
}

const layoutOf = (section: number | undefined) =>
  JSON.parse(String(value(`select layoutSpec from _grist_Views_section where id = ${section}`))) as unknown;
const fieldsOf = (section: number | undefined) =>
  scratch.document.db
    .values(`select id from _grist_Views_section_field where parentId = ${section} order by parentPos`)
    .map(([id]) => Number(id));
const leaves = (layout: unknown): number[] =>
  [...JSON.stringify(layout).matchAll(/"leaf":(\d+)/g)].map(([, leaf]) => Number(leaf));

test("a new table with a grid has its own page; other kinds show it on a new page", () => {
  expect(add({ tableRef: 0, tableName: "Rooms" }).actions).toEqual(["AddEmptyTable"]);
  expect(value("select name from _grist_Views order by id desc")).toBe("Rooms");
  const { actions, viewRef } = add({ tableRef: 0, tableName: "Guests", kind: "detail" });
  expect(actions).toEqual(["CreateViewSection"]);
  expect(value(`select name from _grist_Views where id = ${viewRef}`)).toBe("Guests");
  expect(value(`select count(*) from _grist_Views_section where tableRef = (select max(id) from _grist_Tables)`)).toBe(
    3,
  );
});

test("a section is linked in the same bundle, also one of a new summary", () => {
  const { viewRef: view = 0, sectionRef: from = 0 } = add({});
  const link = { from, source: 0, target: 0 };
  const source = (section: number | undefined) =>
    value(`select linkSrcSectionRef from _grist_Views_section where id = ${section}`);
  expect(source(add({ view, link, kind: "single" }).sectionRef)).toBe(from);
  const grouped = { view, groupBy: [kind()], link };
  expect(source(add(grouped).sectionRef)).toBe(from);
  expect(source(add(grouped, [[], [kind()]]).sectionRef)).toBe(from);
  expect(source(add({ view, groupBy: [], link }, [[kind()]]).sectionRef)).toBe(from);
  expect(source(add({ view, tableRef: 0, tableName: "Rooms", link: { from, source: 0, target: 0 } }).sectionRef)).toBe(
    from,
  );
});

test("a form has the default layout, with the fields of its section", () => {
  const { sectionRef } = add({ kind: "form" });
  expect(leaves(layoutOf(sectionRef))).toEqual(fieldsOf(sectionRef));
  expect(fieldsOf(sectionRef)).toHaveLength(2);
  expect(layoutOf(sectionRef)).toMatchObject({ type: "Layout", children: [{ text: "## Join us" }, {}, {}, {}] });
  const { sectionRef: ofNew } = add({ kind: "form", tableRef: 0, tableName: "Guests" });
  expect(leaves(layoutOf(ofNew))).toEqual(fieldsOf(ofNew));
  expect(fieldsOf(ofNew)).toHaveLength(3);
});

test("a summary is grouped by other columns, and detached", () => {
  const { sectionRef = 0 } = add({ groupBy: [] });
  const before = scratch.content();
  const { undo } = scratch.apply(regroupSection(sectionRef, [kind()]));
  expect(
    value(
      `select tableId from _grist_Tables t join _grist_Views_section s on s.tableRef = t.id where s.id = ${sectionRef}`,
    ),
  ).toBe("Sales_summary_Kind");
  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
  const { undo: undoDetach } = scratch.apply(detachSection(sectionRef));
  expect(
    value(
      `select summarySourceTable from _grist_Tables t join _grist_Views_section s on s.tableRef = t.id where s.id = ${sectionRef}`,
    ),
  ).toBe(0);
  scratch.apply([["ApplyUndoActions", undoDetach]]);
  expect(scratch.content()).toEqual(before);
});
