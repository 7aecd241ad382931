/** Names of tables and columns in the formulas and conditions of schema files: present ids, former ids, keys, and others. */
import { describe, expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { Scratch } from "../actions/scratch.ts";
import { applyFile, pulled } from "./schema-files.ts";

const START: readonly UserAction[] = [
  [
    "AddTable",
    "Orders",
    [
      { id: "Price", type: "Numeric" },
      { id: "Amount", type: "Int" },
      { id: "Total", type: "Any", isFormula: true, formula: "$Price * $Amount" },
      { id: "Gone", type: "Any", isFormula: true, formula: "$Missing + Things.lookupOne(A=$id).A" },
      { id: "Item", type: "Ref:Items", widgetOptions: '{"dropdownCondition": {"text": "choice.Name != rec.Amount"}}' },
    ],
  ],
  ["AddTable", "Items", [{ id: "Name", type: "Text" }, { id: "B" }]],
];

/** Replaces parts of a file, all of which it contains. */
const edited = (text: string, edits: Readonly<Record<string, string>>): string =>
  Object.entries(edits).reduce((file, [from, to]) => {
    expect(file).toContain(from);
    return file.replaceAll(from, to);
  }, text);

function formula(scratch: Scratch, table: string, column: string): string | undefined {
  return scratch.document.schema.tableById.get(table)?.columnById.get(column)?.formula;
}

describe("a file that was read", () => {
  test.each<{
    name: string;
    edits?: Readonly<Record<string, string>>;
    /** Changes of the document after the file was read and applied. */
    later?: readonly UserAction[];
    formulas: Readonly<Record<string, string>>;
  }>([
    {
      name: "renames a column that its formulas name by the former id",
      edits: { "id: Amount": "id: Quantity" },
      formulas: { "Orders.Total": "$Price * $Quantity" },
    },
    {
      name: "swaps the ids of two columns, whose former ids now are those of the other one",
      edits: { "id: Amount": "id: Swapped", "id: Price": "id: Amount", "id: Swapped": "id: Price" },
      formulas: { "Orders.Total": "$Price * $Amount" },
    },
    {
      name: "keeps a name of no column when a column had this id meanwhile",
      later: [["RenameColumn", "Orders", "Amount", "Missing"]],
      formulas: { "Orders.Gone": "$Missing + Things.lookupOne(A=$id).A", "Orders.Total": "$Price * $Amount" },
    },
    {
      name: "keeps a name of no table when a table had this id meanwhile, and names of columns of it",
      later: [
        ["RenameColumn", "Items", "B", "A"],
        ["RenameTable", "Items", "Things"],
      ],
      formulas: { "Orders.Gone": "$Missing + Things.lookupOne(A=$id).A" },
    },
    {
      name: "adds a table that was removed, without the names of others that had its numbers",
      later: [["RemoveTable", "Orders"]],
      formulas: { "Orders.Total": "$Price * $Amount", "Orders.Gone": "$Missing + Things.lookupOne(A=$id).A" },
    },
  ])("$name", ({ edits = {}, later = [], formulas }) => {
    using scratch = new Scratch();
    scratch.apply(START);
    const file = pulled(scratch.document);
    applyFile(scratch.document, file);
    scratch.apply(later);
    applyFile(scratch.document, edited(file, edits));
    for (const [column, expected] of Object.entries(formulas)) {
      const [table = "", id = ""] = column.split(".");
      expect([column, formula(scratch, table, id)]).toEqual([column, expected]);
    }
    if (Object.keys(edits).length === 0) expect(pulled(scratch.document)).toBe(file);
  });

  test("lists names in formulas that do not exist, until they do", () => {
    using scratch = new Scratch();
    scratch.apply(START);
    expect(pulled(scratch.document)).toContain("unknownNames:\n          - Missing\n          - Things\n");
    scratch.apply([["AddColumn", "Orders", "Missing", {}]]);
    expect(pulled(scratch.document)).toContain("unknownNames:\n          - Things\n");
  });

  test("renames in conditions for the choices of references as well", () => {
    using scratch = new Scratch();
    scratch.apply(START);
    const file = edited(pulled(scratch.document), { "id: Amount": "id: Quantity", "id: Name": "id: Title" });
    applyFile(scratch.document, file);
    const options = scratch.document.schema.tableById.get("Orders")?.columnById.get("Item")?.widgetOptions ?? "";
    expect(JSON.parse(options).dropdownCondition.text).toBe("choice.Title != rec.Quantity");
    expect(applyFile(scratch.document, file)).toEqual([]);
  });

  test("names the column with an id before another one with this key, also when it is applied again", () => {
    using scratch = new Scratch();
    scratch.apply(START);
    applyFile(scratch.document, pulled(scratch.document));
    // The key of the one is the id of the other.
    scratch.apply([
      ["RenameColumn", "Orders", "Price", "Cost"],
      ["RenameColumn", "Orders", "Amount", "Price"],
    ]);
    const file = edited(pulled(scratch.document), { "id: Price": "id: Quantity" });
    expect(file).toContain("formula: $Cost * $Price\n");
    applyFile(scratch.document, file);
    expect(formula(scratch, "Orders", "Total")).toBe("$Cost * $Quantity");
    expect(applyFile(scratch.document, file)).toEqual([]);
  });

  test("restores the id of the column for the rows of a group, or has another one in the file", () => {
    using scratch = new Scratch();
    scratch.apply([...START, ["CreateViewSection", 1, 0, "record", [3], null]]);
    const summary = scratch.document.schema.tables.find((table) => table.summarySourceTable > 0)?.id ?? "";
    const usual = pulled(scratch.document);
    expect(usual).toContain("formula: len($group)\n");
    scratch.apply([["RenameColumn", summary, "group", "Sources"]]);
    const unusual = pulled(scratch.document);
    expect(unusual).toContain("formula: len($Sources)\n");
    for (const file of [usual, unusual, usual]) {
      applyFile(scratch.document, file);
      expect(pulled(scratch.document)).toBe(file);
      expect(applyFile(scratch.document, file)).toEqual([]);
      using empty = new Scratch();
      applyFile(empty.document, file);
      expect(pulled(empty.document)).toBe(file);
    }
  });

  test("replaces the column for the rows of a group by another one with its id", () => {
    using scratch = new Scratch();
    scratch.apply([...START, ["CreateViewSection", 1, 0, "record", [3], null]]);
    const summary = scratch.document.schema.tables.find((table) => table.summarySourceTable > 0)?.id ?? "";
    const change: UserAction = ["ModifyColumn", summary, "group", { type: "Text", formula: "'x'" }];
    using changed = new Scratch();
    changed.apply([...START, ["CreateViewSection", 1, 0, "record", [3], null], change]);
    const file = pulled(changed.document);
    scratch.apply([["RenameColumn", summary, "group", "Sources"]]);
    applyFile(scratch.document, file);
    expect(pulled(scratch.document)).toBe(file);
    using empty = new Scratch();
    applyFile(empty.document, file);
    expect(pulled(empty.document)).toBe(file);
  });

  test.each<[name: string, change: UserAction]>([
    ["the type and formula", ["ModifyColumn", "Orders_summary_Item", "count", { type: "Any", formula: "$group" }]],
    ["the id of the column for the rows of a group", ["RenameColumn", "Orders_summary_Item", "group", "manualSort"]],
  ])("gives one of several summaries %s", (_, change) => {
    using scratch = new Scratch();
    scratch.apply(START);
    const orders = scratch.document.schema.tableById.get("Orders");
    for (const columns of [[], [orders?.columnById.get("Item")?.ref]]) {
      scratch.apply([["CreateViewSection", orders?.ref, 0, "record", columns, null]]);
    }
    scratch.apply([change]);
    const file = pulled(scratch.document);
    expect(applyFile(scratch.document, file)).toEqual([]);
    using empty = new Scratch();
    applyFile(empty.document, file);
    expect(pulled(empty.document)).toBe(file);
    expect(applyFile(empty.document, file)).toEqual([]);
  });

  test("keeps empty columns of tables that are loaded on demand", () => {
    using scratch = new Scratch();
    scratch.apply([...START, ["UpdateRecord", "_grist_Tables", 1, { onDemand: true }]]);
    scratch.apply([["AddVisibleColumn", "Orders", "Empty", { isFormula: true, formula: "" }]]);
    const file = pulled(scratch.document);
    expect(file).toContain('type: Any\n        formula: ""\n');
    using empty = new Scratch();
    applyFile(empty.document, file);
    expect(pulled(empty.document)).toBe(file);
  });
});

describe("keys in formulas", () => {
  test.each([
    ["$amount * $Amount2", "$Amount * $Amount2", "the key of a column"],
    ["orders.lookupOne(amount=1).amount", "Orders.lookupOne(Amount=1).Amount", "the key of a table"],
    ["list([$amount])", "list([$Amount])", "a function that is the key of a table"],
    ["[user.Email, value, table]", "[user.Email, value, table]", "a variable that is the key of a table"],
    ["$id", "$id", "the row id, which is the key of a column"],
    ["$class_", "$class_", "no key"],
  ])("%s becomes %s: %s", (written, stored) => {
    const table = (key: string, id: string) => `  ${key}: {id: ${id}, columns: {A: {id: A, type: Text}}}\n`;
    const file = `version: 1
tables:
  orders:
    id: Orders
    columns:
      amount: {id: Amount, type: Int}
      Amount2: {id: Amount2, type: Int}
      id: {id: Number, type: Int}
      result: {id: Result, type: Any, formula: "${written}"}
${table("list", "Lists")}${table("user", "Users")}${table("value", "Values")}${table("table", "Tables")}`;
    using scratch = new Scratch();
    applyFile(scratch.document, file);
    expect(formula(scratch, "Orders", "Result")).toBe(stored);
    expect(applyFile(scratch.document, file)).toEqual([]);
  });
});
