import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Role } from "../../../src/authorization.ts";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { must } from "../../../src/lib/assert.ts";
import { METADATA_TABLES } from "../../../src/doc/metadata-tables.ts";
import { dataFor, recordsFor, refusalOf, ruledDocument, tablesFor, writeRules } from "./reading.ts";
import type { WrittenRules } from "./ruled.ts";

const PETS = { id: "Pets", columns: { Name: "Text", Age: "Int", Chip: "Text" } };
const PAY = { id: "Wages", columns: { Who: "Ref:Pets", gristHelper_Display: "Any", Sum: "Int" } };

/** Sections 11 and 12 show Pets, 13 and 14 Pay, on the views 21, 22 (both) and 23; the raw section 15 is on none. */
const LAYOUT = (pets: number, pay: number, chip: number, sum: number): string => `
  delete from _grist_Views; delete from _grist_Views_section; delete from _grist_Views_section_field;
  insert into _grist_Views (id, name) values (21, 'pets'), (22, 'both'), (23, 'pay');
  insert into _grist_Views_section (id, tableRef, parentId, title, description) values
    (11, ${pets}, 21, 'p', 'p!'), (12, ${pets}, 22, 'p', 'p!'), (13, ${pay}, 22, 's', 's!'), (14, ${pay}, 23, 's', 's!'),
    (15, ${pay}, 0, 'raw', '');
  update _grist_Views_section set layoutSpec = '{"children":[]}', options = '{"a":1}';
  insert into _grist_Views_section_field (id, parentId, colRef, widgetOptions, filter) values
    (31, 11, ${chip}, '{"a":1}', 'f'), (32, 13, ${sum}, '{"b":1}', 'g'), (33, 11, 0, '{"c":1}', 'h');
  insert into _grist_Filters (id, viewSectionRef, colRef, filter) values (41, 11, ${chip}, 'F'), (42, 13, ${sum}, 'G');
  insert into _grist_Cells (id, tableRef, colRef, content) values (51, ${pets}, ${chip}, 'C'), (52, ${pay}, ${sum}, 'D');
  insert into _grist_Attachments (id, fileName) values (1, 'photo.png');
  update _grist_Tables_column set label = 'the ' || colId, description = 'about ' || colId, widgetOptions = '{}',
    formula = '$' || colId where colId in ('Chip', 'Sum');
  update _grist_Tables_column set isFormula = 1, formula = '$Who.Name' where colId = 'gristHelper_Display'`;

let document: OpenDocument;
beforeAll(() => {
  document = ruledDocument([PETS, PAY], {});
  const { columnById, ref } = must(document.schema.tableById.get("Pets"));
  const pay = must(document.schema.tableById.get("Wages"));
  document.db.exec(LAYOUT(ref, pay.ref, must(columnById.get("Chip")).ref, must(pay.columnById.get("Sum")).ref));
});
afterAll(() => document.close());

/** Some columns of a metadata table as a role receives them, row by row. */
function rows(role: Role, table: string, ...columns: string[]): Record<string, unknown[]> {
  const records = recordsFor(document, role, { table: `_grist_${table}` });
  return Object.fromEntries(records.map(({ id, fields }) => [String(id), columns.map((column) => fields[column])]));
}

const under = (rules: WrittenRules): void => writeRules(document, rules);

describe("a hidden table", () => {
  beforeAll(() => under({ "Wages:*": [{ formula: "user.Access == VIEWER", permissions: "-R" }] }));

  test("has no name, and neither have its columns, views and sections", () => {
    expect(Object.values(rows("viewers", "Tables", "tableId")).flat()).toEqual(["Table1", "Pets", ""]);
    const columns = rows(
      "viewers",
      "Tables_column",
      "parentId",
      "colId",
      "type",
      "label",
      "description",
      "formula",
      "widgetOptions",
    );
    const blank = [0, "", "Any", "", "", "", ""];
    expect(Object.values(columns).slice(-4)).toEqual([blank, blank, blank, blank]);
    expect(Object.values(columns).slice(-5, -4)).toEqual([
      [2, "Chip", "Text", "the Chip", "about Chip", "$Chip", "{}"],
    ]);
    expect(rows("viewers", "Views", "name")).toEqual({ 21: ["pets"], 22: ["both"], 23: [""] });
    expect(rows("viewers", "Views_section", "tableRef", "parentId", "title", "description")).toEqual({
      11: [2, 21, "p", "p!"],
      12: [2, 22, "p", "p!"],
      13: [0, 22, "", ""],
      14: [0, 23, "", ""],
      15: [0, 0, "", ""],
    });
    expect(rows("viewers", "Views_section", "layoutSpec", "options")).toEqual({
      11: ['{"children":[]}', '{"a":1}'],
      12: ['{"children":[]}', '{"a":1}'],
      13: ["", ""],
      14: ["", ""],
      15: ["", ""],
    });
    expect(rows("viewers", "Views_section_field", "parentId", "widgetOptions", "filter")).toEqual({
      31: [11, '{"a":1}', "f"],
      32: [0, "", ""],
      33: [11, '{"c":1}', "h"],
    });
    expect(rows("viewers", "Filters", "filter")).toEqual({ 41: ["F"], 42: [""] });
    expect(rows("viewers", "Cells", "content")).toEqual({ 51: ["C"], 52: [""] });
  });

  test("gives no page its name, not even one that shows other tables too", () => {
    const name = (to: string) => {
      document.db.exec(`update _grist_Views set name = '${to}' where id = 22`);
      return rows("viewers", "Views", "name")[22];
    };
    expect(name("Wages")).toEqual([""]);
    // The title of its raw section.
    expect(name("raw")).toEqual([""]);
    expect(name("Pets")).toEqual(["Pets"]);
    expect(name("both")).toEqual(["both"]);
  });

  test("does not match a filter or sort by its name", () => {
    const found = (role: Role, filter: Record<string, unknown[]>) =>
      recordsFor(document, role, { table: "_grist_Tables", filter }).map(({ id }) => id);
    expect(found("viewers", { tableId: ["Wages"] })).toEqual([]);
    expect(found("viewers", { tableId: [""] })).toEqual([3]);
    expect(found("owners", { tableId: ["Wages"] })).toEqual([3]);
    const sorted = (role: Role, sort: string, limit = 0) =>
      recordsFor(document, role, { table: "_grist_Tables", sort, limit }).map(({ id }) => id);
    expect(sorted("viewers", "tableId")).toEqual([3, 2, 1]);
    expect(sorted("viewers", "-tableId")).toEqual([1, 2, 3]);
    expect(sorted("owners", "tableId")).toEqual([2, 1, 3]);
    const fields = (role: Role, sort: string, limit: number) =>
      recordsFor(document, role, { table: "_grist_Views_section_field", sort, limit }).map(({ id }) => id);
    // SQLite sorts columns that contain only numbers; the cached result of that check must not be shared between owner
    // and viewer.
    expect(fields("owners", "-parentId", 1)).toEqual([32]);
    expect(fields("viewers", "-parentId", 1)).toEqual([31]);
    expect(fields("viewers", "parentId", 2)).toEqual([32, 31]);
    // A cached order must not be shared either.
    const secondField = (role: Role) =>
      recordsFor(document, role, { table: "_grist_Views_section_field", sort: "-parentId", limit: 1, offset: 1 });
    expect(secondField("owners").map(({ id }) => id)).not.toEqual(secondField("viewers").map(({ id }) => id));
  });

  test("data equals records", () => {
    expect(dataFor(document, "viewers", { table: "_grist_Tables" })["tableId"]).toEqual(["Table1", "Pets", ""]);
    expect(dataFor(document, "viewers", { table: "_grist_Tables", sort: "-id" })["tableId"]).toEqual([
      "",
      "Pets",
      "Table1",
    ]);
  });

  test("callers who read everything get all metadata", () => {
    for (const role of ["editors", "owners"] as const) {
      expect(Object.values(rows(role, "Tables", "tableId")).flat()).toEqual(["Table1", "Pets", "Wages"]);
      expect(rows(role, "Views", "name")).toEqual({ 21: ["pets"], 22: ["both"], 23: ["pay"] });
      expect(rows(role, "Attachments", "fileName")).toEqual({ 1: ["photo.png"] });
      expect(Object.keys(rows(role, "ACLRules"))).toEqual(["1", "2"]);
    }
    for (const table of ["ACLRules", "ACLResources", "Attachments"]) {
      expect({ table, rows: rows("viewers", table) }).toEqual({ table, rows: {} });
    }
  });
});

test("blanks a hidden column and its fields only", () => {
  under({ "Wages:Who": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
  const columns = rows("viewers", "Tables_column", "parentId", "colId", "formula");
  expect(Object.values(columns).slice(-4)).toEqual([
    [3, "manualSort", ""],
    [0, "", ""],
    [0, "", ""],
    [3, "Sum", "$Sum"],
  ]);
  expect(Object.values(rows("viewers", "Tables", "tableId")).flat()).toEqual(["Table1", "Pets", "Wages"]);
  expect(rows("viewers", "Views", "name")).toEqual({ 21: ["pets"], 22: ["both"], 23: ["pay"] });
  under({ "Pets:Chip": [{ permissions: "-R" }] });
  expect(rows("owners", "Views_section_field", "parentId", "widgetOptions", "filter")).toEqual({
    31: [0, "", ""],
    32: [13, '{"b":1}', "g"],
    33: [11, '{"c":1}', "h"],
  });
  expect(rows("owners", "Filters", "filter")).toEqual({ 41: [""], 42: ["G"] });
});

test("keeps metadata complete for row rules, except comments on cells", () => {
  under({ "Wages:*": [{ formula: "rec.Sum > 5", permissions: "-R" }] });
  expect(Object.values(rows("editors", "Tables", "tableId")).flat()).toEqual(["Table1", "Pets", "Wages"]);
  expect(rows("editors", "Views_section", "title")).toEqual({
    11: ["p"],
    12: ["p"],
    13: ["s"],
    14: ["s"],
    15: ["raw"],
  });
  expect(rows("editors", "Cells", "content")).toEqual({ 51: ["C"], 52: [""] });
  expect(rows("editors", "Attachments", "fileName")).toEqual({});
  expect(rows("owners", "Attachments", "fileName")).toEqual({ 1: ["photo.png"] });
  expect(Object.keys(rows("owners", "ACLRules"))).toEqual(["1", "2"]);
});

test("callers denied by default read no metadata, but tables that a rule allows", () => {
  under({
    "*:*": [{ formula: "user.Access == VIEWER", permissions: "none" }],
    "Pets:*": [{ permissions: "+R" }],
  });
  for (const { id } of METADATA_TABLES) {
    expect({ id, refusal: refusalOf(() => recordsFor(document, "viewers", { table: id })) }).toEqual({
      id,
      refusal: "forbidden",
    });
    expect(refusalOf(() => dataFor(document, "viewers", { table: id }))).toBe("forbidden");
    expect(refusalOf(() => recordsFor(document, "editors", { table: id }))).toBeNull();
  }
  expect(Object.keys(tablesFor(document, "viewers"))).toEqual(["Pets"]);
  expect(refusalOf(() => recordsFor(document, "viewers", { table: "Wages" }))).toBe("forbidden");
  under({ "*:*": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
  expect(tablesFor(document, "viewers")).toEqual({});
});

test("the rule tables can be shown to others and hidden from owners", () => {
  under({
    "*SPECIAL:AccessRules": [
      { formula: "user.Access == EDITOR", permissions: "+R" },
      { formula: "user.Access == OWNER", permissions: "-R" },
    ],
    "Wages:*": [{ permissions: "-R" }],
  });
  expect(Object.keys(rows("editors", "ACLResources"))).toEqual(["1", "2", "3"]);
  expect(rows("viewers", "ACLResources")).toEqual({});
  expect(rows("owners", "ACLResources")).toEqual({});
});
