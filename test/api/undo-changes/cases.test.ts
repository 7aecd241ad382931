import { afterAll, beforeAll, expect, test } from "bun:test";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { type Step, undoSetting } from "./setting.ts";

let server: TestApp;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Case {
  readonly name: string;
  /** Changes before the state that the undo begins with. */
  readonly first?: readonly Step[];
  readonly steps: readonly Step[];
  /** `table.row.column: from → to` */
  readonly cells?: readonly string[];
  readonly removed?: readonly string[];
  readonly restored?: readonly string[];
  readonly conflicts?: readonly string[];
}

const set = (by: string, row: number, fields: object, table = "People"): Step => [
  by,
  "UpdateRecord",
  table,
  row,
  fields,
];
const ANN = { Name: "Ann" };

const CASES: readonly Case[] = [
  { name: "nothing", steps: [] },
  { name: "only others", steps: [set("editor", 1, ANN), set("second", 2, ANN)] },
  {
    name: "a cell, with what followed from it",
    steps: [set("own", 2, { Age: 41 })],
    cells: ["People.2.Age: 41 → 40"],
  },
  {
    name: "a cell that others changed before",
    steps: [set("editor", 2, { Age: 7 }), set("own", 2, { Age: 8 })],
    cells: ["People.2.Age: 8 → 7"],
  },
  {
    name: "several changes of a cell",
    steps: [set("own", 2, { Age: 1 }), set("own", 2, { Age: 2 }), set("own", 2, { Age: 3 })],
    cells: ["People.2.Age: 3 → 40"],
  },
  { name: "a cell that the key has set back", steps: [set("own", 2, { Age: 1 }), set("own", 2, { Age: 40 })] },
  {
    name: "another key in between",
    steps: [set("own", 2, { Age: 1 }), set("second", 2, { Age: 2 }), set("own", 2, { Age: 3 })],
    cells: ["People.2.Age: 3 → 2"],
  },
  {
    name: "a cell that another key of the same user changed since",
    steps: [set("own", 2, { Age: 1 }), set("second", 2, { Age: 2 })],
    conflicts: ["People.2.Age changed_since"],
  },
  {
    name: "a cell that another user wrote with an equal value changed nothing",
    steps: [set("own", 2, { Age: 1 }), set("editor", 2, { Age: 1 })],
    cells: ["People.2.Age: 1 → 40"],
  },
  {
    name: "an unchanged cell among those that another user wrote",
    steps: [
      set("own", 2, { Age: 1 }),
      ["editor", "BulkUpdateRecord", "People", [1, 2], { Age: [3, 1], Team: [null, ["L", 1]] }],
    ],
    cells: ["People.2.Age: 1 → 40"],
  },
  {
    name: "a cell that another user changed and set back",
    steps: [set("own", 2, { Age: 1 }), set("editor", 2, { Age: 2 }), set("editor", 2, { Age: 1 })],
    conflicts: ["People.2.Age changed_since"],
  },
  {
    name: "a cell that another key has reverted",
    steps: [set("own", 2, { Age: 1 }), set("editor", 2, { Age: 40 })],
  },
  {
    name: "other cells of the row",
    steps: [set("own", 2, { Age: 1 }), set("editor", 2, { Friend: 1 })],
    cells: ["People.2.Age: 1 → 40"],
  },
  {
    name: "a row that another user removed",
    steps: [set("own", 3, { Age: 1 }), ["editor", "RemoveRecord", "People", 3]],
    conflicts: ["People.3 removed_since"],
  },
  {
    name: "an added row",
    steps: [["own", "AddRecord", "People", 9, ANN], set("own", 9, { Age: 4 })],
    removed: ["People.9"],
  },
  {
    name: "an added row that another user changed",
    steps: [["own", "AddRecord", "People", 9, ANN], set("editor", 9, { Age: 4 })],
    conflicts: ["People.9 changed_since"],
  },
  {
    name: "an added row that another user moved",
    steps: [["own", "AddRecord", "People", 9, ANN], set("editor", 9, { manualSort: 0.5 })],
    removed: ["People.9"],
  },
  {
    name: "an added row that another user removed",
    steps: [
      ["own", "AddRecord", "People", 9, ANN],
      ["editor", "RemoveRecord", "People", 9],
    ],
  },
  {
    name: "an added row that the key has removed",
    steps: [
      ["own", "AddRecord", "People", 9, ANN],
      ["own", "RemoveRecord", "People", 9],
    ],
  },
  {
    name: "an added row that another user refers to",
    steps: [["own", "AddRecord", "People", 9, ANN], set("editor", 1, { Buyer: 9 }, "Orders")],
    conflicts: ["People.9 referenced"],
  },
  {
    name: "an added row in a list of references of another key",
    steps: [["own", "AddRecord", "People", 9, ANN], set("editor", 1, { Team: ["L", 2, 9] })],
    conflicts: ["People.9 referenced"],
  },
  {
    name: "an added row that the key itself refers to",
    steps: [
      ["own", "AddRecord", "People", 9, ANN],
      set("own", 1, { Buyer: 9 }, "Orders"),
      ["own", "AddRecord", "Orders", 9, { Buyer: 9 }],
    ],
    cells: ["Orders.1.Buyer: 9 → 1"],
    removed: ["Orders.9", "People.9"],
  },
  {
    name: "an added row to which a row that stays refers",
    steps: [
      ["own", "AddRecord", "People", 9, ANN],
      ["own", "AddRecord", "Orders", 9, { Buyer: 9 }],
      set("editor", 9, { Item: "Pump" }, "Orders"),
    ],
    conflicts: ["Orders.9 changed_since", "People.9 referenced"],
  },
  {
    name: "an added row to which a reverted cell would refer",
    steps: [
      ["own", "AddRecord", "People", 9, ANN],
      set("editor", 1, { Buyer: 9 }, "Orders"),
      set("own", 1, { Buyer: 2 }, "Orders"),
    ],
    cells: ["Orders.1.Buyer: 2 → 9"],
    conflicts: ["People.9 referenced"],
  },
  {
    name: "a removed row, with the references to it",
    steps: [["own", "RemoveRecord", "People", 1]],
    cells: ["Orders.1.Buyer: 0 → 1"],
    restored: ["People.1"],
  },
  {
    name: "a removed row, and a reference to it that another user has set since",
    steps: [["own", "RemoveRecord", "People", 1], set("editor", 1, { Buyer: 3 }, "Orders")],
    restored: ["People.1"],
    conflicts: ["Orders.1.Buyer changed_since"],
  },
  {
    name: "a removed row whose id is in use",
    steps: [
      ["own", "RemoveRecord", "People", 3],
      ["editor", "AddRecord", "People", 3, ANN],
    ],
    conflicts: ["People.3 id_in_use"],
  },
  {
    name: "a removed row whose id another user gave to a new row that the key removed as well",
    steps: [
      ["own", "RemoveRecord", "People", 3],
      ["editor", "AddRecord", "People", 3, ANN],
      ["own", "RemoveRecord", "People", 3],
    ],
    restored: ["People.3"],
  },
  {
    name: "a row that the key changed before it removed it",
    steps: [set("own", 3, { Age: 1 }), set("editor", 3, { Name: "Cyd" }), ["own", "RemoveRecord", "People", 3]],
    restored: ["People.3"],
  },
  {
    name: "a removed row that referred to a row which is gone",
    first: [set("owner", 3, { Friend: 2 })],
    steps: [
      ["own", "RemoveRecord", "People", 3],
      ["editor", "RemoveRecord", "People", 2],
    ],
    restored: ["People.3"],
    conflicts: ["People.3.Friend missing_reference"],
  },
  {
    name: "a reference to a row that is gone",
    steps: [set("own", 1, { Buyer: 3 }, "Orders"), ["editor", "RemoveRecord", "People", 1]],
    conflicts: ["Orders.1.Buyer missing_reference"],
  },
  {
    name: "renamed tables and columns",
    steps: [
      set("own", 2, { Age: 1 }),
      ["editor", "RenameColumn", "People", "Age", "Years"],
      ["editor", "RenameTable", "People", "Staff"],
      ["own", "AddRecord", "Staff", 9, { Years: 4 }],
    ],
    cells: ["Staff.2.Years: 1 → 40"],
    removed: ["Staff.9"],
  },
  {
    name: "references to a renamed table",
    steps: [set("own", 1, { Buyer: 2 }, "Orders"), ["editor", "RenameTable", "People", "Staff"]],
    cells: ["Orders.1.Buyer: 2 → 1"],
  },
  {
    name: "names that were given to others",
    steps: [
      set("own", 2, { Age: 1 }),
      ["editor", "RenameColumn", "People", "Age", "Years"],
      ["editor", "AddColumn", "People", "Age", { type: "Int", isFormula: false }],
      set("editor", 2, { Age: 1 }),
    ],
    cells: ["People.2.Years: 1 → 40"],
  },
  {
    name: "a removed column",
    steps: [set("own", 2, { Age: 1 }), ["editor", "RemoveColumn", "People", "Age"]],
    conflicts: ["People.Age column_removed"],
  },
  {
    name: "a removed table",
    steps: [set("own", 2, { Item: "Pump" }, "Orders"), ["editor", "RemoveTable", "Orders"]],
    conflicts: ["Orders table_removed"],
  },
  {
    name: "a column of another type",
    steps: [set("own", 2, { Age: 1 }), ["editor", "ModifyColumn", "People", "Age", { type: "Text" }]],
    conflicts: ["People.2.Age column_changed"],
  },
  {
    name: "a removed row with a column of another type",
    steps: [
      ["own", "RemoveRecord", "People", 3],
      ["editor", "ModifyColumn", "People", "Age", { type: "Text" }],
    ],
    conflicts: ["People.3 column_changed"],
  },
  {
    name: "a column that became a formula",
    steps: [set("own", 2, { Age: 1 }), ["editor", "ModifyColumn", "People", "Age", { isFormula: true, formula: "1" }]],
  },
  {
    name: "tables and columns of the key are left alone",
    steps: [
      ["own", "AddTable", "Extra", [{ id: "A", type: "Text", isFormula: false }]],
      ["own", "AddRecord", "Extra", 1, { A: "x" }],
      ["own", "AddColumn", "People", "Extra", { type: "Text", isFormula: false }],
      ["own", "RenameColumn", "Orders", "Item", "Thing"],
      ["own", "ModifyColumn", "People", "Length", { formula: "1" }],
    ],
    removed: ["Extra.1"],
    conflicts: ["Extra schema", "Orders.Thing schema", "People.Extra schema", "People.Length schema"],
  },
  {
    name: "a removed column of the key",
    steps: [set("own", 2, { Age: 1 }), ["own", "RemoveColumn", "People", "Age"]],
    conflicts: ["People.Age schema"],
  },
  {
    name: "a trigger formula's cell",
    steps: [set("own", 2, ANN)],
    cells: ["People.2.Changed: ANN → BOB", "People.2.Name: Ann → Bob"],
  },
  {
    name: "the first cells of an empty column",
    first: [["owner", "AddColumn", "People", "Empty", {}]],
    steps: [set("own", 2, { Empty: "x" })],
    cells: ["People.2.Empty: x → "],
    conflicts: ["People.Empty schema"],
  },
  {
    name: "two-way references of the key",
    first: [["owner", "AddReverseColumn", "Orders", "Buyer"]],
    steps: [set("own", 1, { Buyer: 2 }, "Orders")],
    cells: ["Orders.1.Buyer: 2 → 1", 'People.1.Orders: null → ["L",1]', 'People.2.Orders: ["L",1,2] → ["L",2]'],
  },
  {
    name: "two-way references of which another user changed the other end",
    first: [["owner", "AddReverseColumn", "Orders", "Buyer"]],
    steps: [set("own", 1, { Buyer: 2 }, "Orders"), set("editor", 2, { Buyer: 3 }, "Orders")],
    conflicts: [
      "Orders.1.Buyer two_way_reference",
      "People.1.Orders two_way_reference",
      "People.2.Orders changed_since",
    ],
  },
  {
    name: "a two-way reference that another key has changed again",
    first: [["owner", "AddReverseColumn", "Orders", "Buyer"]],
    steps: [set("own", 1, { Buyer: 2 }, "Orders"), set("editor", 1, { Buyer: 3 }, "Orders")],
    conflicts: ["Orders.1.Buyer changed_since", "People.1.Orders two_way_reference"],
  },
  {
    name: "settings of the document",
    steps: [["own", "UpdateRecord", "_grist_Views", 1, { name: "Renamed" }]],
    conflicts: ["_grist_Views settings"],
  },
  {
    name: "rows of summaries follow from their source",
    first: [["owner", "CreateViewSection", 2, 0, "record", [8], null]],
    steps: [["own", "AddRecord", "Orders", 9, { Buyer: 3 }]],
    removed: ["Orders.9"],
  },
];

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

test.each(CASES.map((each) => [each.name, each] as const))("%s", async (_, each) => {
  const setting = await undoSetting(server);
  await setting.make(each.first ?? []);
  const since = await setting.newest();
  await setting.make(each.steps);
  const { cells = [], removed = [], restored = [], conflicts = [] } = each;
  const before = await setting.newest();
  const plan = await setting.undo("own", { since });
  expect(plan.status).toBe(200);
  const listed = (items: { table: string; row?: number; column?: string }[], further = (_item: never) => "") =>
    items.map(
      (item) =>
        [item.table, item.row, item.column].filter((part) => part !== undefined).join(".") + further(item as never),
    );
  const report = {
    cells: listed(plan.body.cells, ({ from, to }: { from: unknown; to: unknown }) => `: ${text(from)} → ${text(to)}`),
    removed: listed(plan.body.removedRows),
    restored: listed(plan.body.restoredRows),
    conflicts: listed(plan.body.conflicts, ({ reason }: { reason: string }) => ` ${reason}`),
  };
  expect(report).toEqual({
    cells: [...cells],
    removed: [...removed],
    restored: [...restored],
    conflicts: [...conflicts],
  });
  expect(plan.body).toMatchObject({ since, isApplied: false, state: null, isComplete: true });
  expect(await setting.newest()).toBe(before);

  const { planId } = plan.body;
  const applied = await setting.undo("own", { since, planId });
  const isEmpty = cells.length + removed.length + restored.length === 0;
  expect(applied.body).toEqual({ ...plan.body, isApplied: true, state: isEmpty ? null : before + 1 });
  // The rest of the plan is what is left alone.
  const again = await setting.undo("own", { since });
  expect(again.body.counts).toMatchObject({ cells: 0, removedRows: 0, restoredRows: 0 });
  if (isEmpty) return;
  const repeated = await setting.undo("own", { since, planId });
  expect([repeated.status, repeated.body.details.code]).toEqual([409, "undo.plan_changed"]);
  expect(await setting.newest()).toBe(before + 1);
  for (const { table, row, column, to } of plan.body.cells) {
    if (column !== "manualSort") expect((await setting.rows(table))[row]?.[column]).toEqual(to);
  }
  for (const { table, row } of plan.body.removedRows) expect(await setting.rows(table)).not.toHaveProperty(String(row));
  if (each.name.includes("as well")) expect(plan.body.restoredRows[0].fields).toMatchObject({ Name: "Ann", Age: 0 });
  for (const { table, row, fields } of plan.body.restoredRows)
    expect((await setting.rows(table))[row]).toMatchObject(fields);
  // The undo is undone by its own key.
  const back = await setting.undo("own", { since: before });
  expect(back.body.conflicts).toEqual([]);
  expect(back.body.counts).toMatchObject({ cells: cells.length, conflicts: 0 });
  expect((await setting.undo("own", { since: before, planId: back.body.planId })).status).toBe(200);
  for (const { table, row, column, from } of plan.body.cells) {
    expect((await setting.rows(table))[row]?.[column]).toEqual(from);
  }
});
