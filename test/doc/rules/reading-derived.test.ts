/** Columns and tables that the server fills from others reveal no hidden data of these. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { CellValue } from "../../../src/values/cell.ts";
import { Scratch } from "../actions/scratch.ts";
import { columnsFor, csvFor, dataFor, recordsFor, refusalOf, tablesFor } from "./reading.ts";
import { addingRules, type WrittenRules } from "./ruled.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "People",
      [
        { id: "Name", type: "Text", isFormula: false },
        { id: "Open", type: "Bool", isFormula: false },
        { id: "Boss", type: "Ref:People", isFormula: false },
      ],
    ],
    ["BulkAddRecord", "People", [1, 2, 3], { Name: ["Ann", "Bob", "Cid"], Open: [true, false, true], Boss: [0, 1, 2] }],
    [
      "AddTable",
      "Jobs",
      [
        { id: "Who", type: "Ref:People", isFormula: false },
        { id: "Team", type: "RefList:People", isFormula: false },
        { id: "City", type: "Text", isFormula: false },
        { id: "Pay", type: "Int", isFormula: false },
        { id: "Text", type: "Any", isFormula: true, formula: "$Who.Name" },
      ],
    ],
    [
      "BulkAddRecord",
      "Jobs",
      [1, 2, 3, 4],
      {
        Who: [1, 2, 3, 0],
        Team: [["L", 1, 3], ["L", 1, 2], null, ["L", 3]],
        City: ["Oslo", "Oslo", "Rome", "Rome"],
        Pay: [1, 2, 3, 4],
      },
    ],
  ]);
  show("Jobs", "Who");
  show("Jobs", "Team");
  show("People", "Boss");
});
afterEach(() => scratch[Symbol.dispose]());

const infoOf = (table: string) => scratch.document.schema.tableById.get(table);
const refOf = (table: string, column: string) => infoOf(table)?.columnById.get(column)?.ref ?? 0;

/** Makes a reference to people display their names. */
function show(table: string, column: string): void {
  scratch.apply([
    ["ModifyColumn", table, column, { visibleCol: refOf("People", "Name") }],
    ["SetDisplayFormula", table, null, refOf(table, column), `$${column}.Name`],
  ]);
}

const summarise = (...columns: string[]) =>
  scratch.do(
    "CreateViewSection",
    infoOf("Jobs")?.ref,
    0,
    "record",
    columns.map((id) => refOf("Jobs", id)),
    null,
  );

const add = (rules: WrittenRules) => scratch.apply(addingRules(rules));
const FOR_EDITORS = "user.Access == EDITOR";
const deny = (resource: string, condition = "True"): WrittenRules => ({
  [resource]: [{ formula: `${FOR_EDITORS} and ${condition}`, permissions: "-R" }],
});
const cellsOf = (table: string, column: string) => dataFor(scratch.document, "editors", { table })[column];
const rowsOf = (table: string, ...columns: string[]) =>
  Object.fromEntries(
    recordsFor(scratch.document, "editors", { table, hidden: true }).map(({ id, fields }) => [
      id,
      columns.map((column) => fields[column]),
    ]),
  );

const WHO = "gristHelper_Display";
const TEAM = "gristHelper_Display2";
const CENSORED: CellValue = ["C"];

describe("display helpers", () => {
  test("are complete where nothing is hidden", () => {
    add(deny("Jobs:City"));
    expect(cellsOf("Jobs", WHO)).toEqual(["Ann", "Bob", "Cid", ""]);
  });

  test.each(["People:Name", "People:*"])("are absent where their source is hidden: %s", (resource) => {
    add(deny(resource));
    expect(Object.keys(dataFor(scratch.document, "editors", { table: "Jobs" }))).not.toContain(WHO);
    expect(columnsFor(scratch.document, "editors", "Jobs")).not.toContain(TEAM);
    expect(refusalOf(() => recordsFor(scratch.document, "editors", { table: "Jobs", sort: WHO }))).toBe("invalid");
    expect(
      refusalOf(() => recordsFor(scratch.document, "editors", { table: "Jobs", filter: { [WHO]: ["Bob"] } })),
    ).toBe("invalid");
    expect(cellsOf("Jobs", "Who")).toEqual([1, 2, 3, 0]);
    expect(cellsOf("Jobs", "Text")).toEqual(["Ann", "Bob", "Cid", ""]);
  });

  test.each(["People:*", "People:Name"])("are censored where a displayed row or cell is: %s", (resource) => {
    add(deny(resource, "not rec.Open"));
    expect(cellsOf("Jobs", WHO)).toEqual(["Ann", CENSORED, "Cid", ""]);
    expect(cellsOf("Jobs", TEAM)).toEqual([["L", "Ann", "Cid"], CENSORED, ["L"], ["L", "Cid"]]);
    expect(recordsFor(scratch.document, "editors", { table: "Jobs", filter: { [WHO]: ["Bob"] } })).toEqual([]);
    expect(recordsFor(scratch.document, "editors", { table: "Jobs", sort: WHO }).map(({ id }) => id)).toEqual([
      2, 4, 1, 3,
    ]);
    expect(csvFor(scratch.document, "editors", "Jobs")).toContain("CENSORED,CENSORED,Oslo,2,Bob");
    expect(cellsOf("Jobs", "Who")).toEqual([1, 2, 3, 0]);
  });

  test("show a missing row like a hidden one", () => {
    scratch.apply([["ApplyDocActions", [["RemoveRecord", "People", 3]]]]);
    add(deny("People:*", "not rec.Open"));
    expect(cellsOf("Jobs", WHO)).toEqual(["Ann", CENSORED, CENSORED, ""]);
  });

  test("of a self-referencing table follow the rows of that table", () => {
    add(deny("People:*", "not rec.Open"));
    expect(rowsOf("People", "Name", WHO)).toEqual({ 1: ["Ann", ""], 3: ["Cid", CENSORED] });
  });

  test("read many rows at once", () => {
    const ids = Array.from({ length: 300 }, (_, at) => at + 10);
    scratch.apply([
      ["BulkAddRecord", "People", ids, { Name: ids.map(String), Open: ids.map((id) => id % 2 === 0) }],
      ["BulkAddRecord", "Jobs", ids, { Who: ids }],
    ]);
    add(deny("People:*", "not rec.Open"));
    const rows = rowsOf("Jobs", WHO);
    expect(ids.map((id) => rows[id])).toEqual(ids.map((id) => [id % 2 === 0 ? String(id) : CENSORED]));
  });
});

describe("references in files", () => {
  test("name their table only to callers who may see it", () => {
    scratch.apply([["SetDisplayFormula", "Jobs", null, refOf("Jobs", "Who"), ""]]);
    add(deny("People:*"));
    expect(csvFor(scratch.document, "editors", "Jobs")).toBe(
      'Who,Team,City,Pay,Text\n[1],"[1], [3]",Oslo,1,Ann\n[2],"[1], [2]",Oslo,2,Bob\n[3],,Rome,3,Cid\n,[3],Rome,4,\n',
    );
    expect(csvFor(scratch.document, "owners", "Jobs")).toContain('People[1],"Ann, Cid",Oslo');
  });
});

describe("summaries", () => {
  test("show groups with a visible row, and aggregates of groups where all rows are visible", () => {
    summarise("City");
    add(deny("Jobs:*", "rec.Pay in [2, 3, 4]"));
    expect(rowsOf("Jobs_summary_City", "City", "group", "count", "Pay")).toEqual({
      1: ["Oslo", CENSORED, CENSORED, CENSORED],
    });
  });

  test("follow the visibility of the group-by column", () => {
    summarise("City");
    add(deny("Jobs:City"));
    expect(columnsFor(scratch.document, "editors", "Jobs_summary_City")).not.toContain("City");
    // No caller can know then which rows are in a group, nor how many groups there are.
    expect(recordsFor(scratch.document, "editors", { table: "Jobs_summary_City" })).toEqual([]);
  });

  test("reveal neither values nor counts of censored group-by cells", () => {
    summarise("City");
    add(deny("Jobs:City", "rec.Pay == 2"));
    expect(rowsOf("Jobs_summary_City", "City", "group", "count", "Pay")).toEqual({
      1: ["Oslo", CENSORED, CENSORED, CENSORED],
      2: ["Rome", CENSORED, CENSORED, CENSORED],
    });
  });

  test("show aggregates of other columns", () => {
    summarise("City");
    scratch.apply([["AddColumn", "Jobs_summary_City", "Most", { isFormula: true, formula: "MAX($group.Pay)" }]]);
    add(deny("Jobs:Pay", "rec.City == 'Oslo'"));
    expect(rowsOf("Jobs_summary_City", "City", "count", "Pay", "Most")).toEqual({
      1: ["Oslo", 2, CENSORED, 2],
      2: ["Rome", 2, 7, 4],
    });
    expect(cellsOf("Jobs_summary_City", "group")).toEqual([
      ["L", 1, 2],
      ["L", 3, 4],
    ]);
  });

  test("omit the sums of a hidden column", () => {
    summarise("City");
    add(deny("Jobs:Pay"));
    expect(rowsOf("Jobs_summary_City", "City", "count", "Pay")).toEqual({
      1: ["Oslo", 2, undefined],
      2: ["Rome", 2, undefined],
    });
  });

  test("of a hidden table are hidden", () => {
    summarise("City");
    add(deny("Jobs:*"));
    expect(Object.keys(tablesFor(scratch.document, "editors"))).not.toContain("Jobs_summary_City");
    expect(refusalOf(() => recordsFor(scratch.document, "editors", { table: "Jobs_summary_City" }))).toBe("forbidden");
  });

  test("show references as their table does, and have rules of their own", () => {
    summarise("Who");
    add({
      ...deny("People:*", "not rec.Open"),
      ...deny("Jobs_summary_Who:*", "rec.Who == 3"),
    });
    expect(rowsOf("Jobs_summary_Who", "Who", WHO, "count")).toEqual({
      1: [1, "Ann", 1],
      2: [2, CENSORED, 1],
      4: [0, "", 1],
    });
  });

  test("accept new records only from callers who see all groups, since ids would reveal their number", () => {
    summarise("City");
    const addRow = () =>
      refusalOf(() =>
        scratch.apply([["AddRecord", "Jobs_summary_City", null, { City: "Bergen" }]], { role: "editors" }),
      );
    const upsert = () =>
      refusalOf(() =>
        scratch.apply([["AddOrUpdateRecord", "Jobs_summary_City", { City: "Bergen" }, {}, {}]], { role: "editors" }),
      );
    add(deny("People:Name"));
    expect([addRow(), upsert()]).toEqual([null, null]);
    add(deny("Jobs:*", "rec.Pay == 2"));
    expect([addRow(), upsert()]).toEqual(["forbidden", "forbidden"]);
  });

  test("show nothing in files without the rows of groups", () => {
    summarise("City");
    const { db } = scratch.document;
    db.run("update _grist_Tables_column set formula = 'None' where colId = 'group'");
    scratch.document.onChanged({ schema: true });
    expect(recordsFor(scratch.document, "editors", { table: "Jobs_summary_City" })).toHaveLength(2);
    add(deny("Jobs:*", "rec.Pay == 2"));
    expect(recordsFor(scratch.document, "editors", { table: "Jobs_summary_City" })).toEqual([]);
  });
});
