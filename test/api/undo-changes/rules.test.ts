/** Access rules: a plan contains nothing that the caller cannot read, and does not depend on it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { setRules } from "../../helpers/access-rules.ts";
import { testApp, type TestApp } from "../../helpers/app.ts";
import { NOWHERE } from "../../helpers/limited-keys.ts";
import { type Step, type UndoSetting, undoSetting } from "./setting.ts";

let server: TestApp;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const NOT_OWNER = "user.Access != OWNER";
/** Editors see neither Orders, nor ages, nor people without a name of an "A" or "B", nor changes of Friend. */
const RULES = {
  "Orders:*": [{ formula: NOT_OWNER, permissions: "none" }],
  "People:Age": [{ formula: NOT_OWNER, permissions: "none" }],
  "People:Friend": [{ formula: `${NOT_OWNER} and rec.Friend == 3`, permissions: "-U" }],
  "People:*": [{ formula: `${NOT_OWNER} and rec.Name not in ["Ada", "Bob", "Ann", "Abe"]`, permissions: "none" }],
};

const set = (by: string, row: number, fields: object, table = "People"): Step => [
  by,
  "UpdateRecord",
  table,
  row,
  fields,
];

interface Case {
  readonly name: string;
  /** Made by the editor before the rules are set. */
  readonly steps: readonly Step[];
  /** What others do then. */
  readonly others?: readonly Step[];
  readonly cells?: readonly string[];
  readonly conflicts?: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "a cell that they can read", steps: [set("editor", 1, { Name: "Ann" })], cells: ["1.Name Ada"] },
  { name: "a hidden column", steps: [set("editor", 1, { Name: "Ann", Age: 1 })], cells: ["1.Name Ada"] },
  { name: "a hidden table", steps: [set("editor", 1, { Item: "Pump" }, "Orders")] },
  { name: "a hidden row", steps: [set("editor", 3, { Team: ["L", 1] })] },
  {
    name: "a row that is hidden since",
    steps: [set("editor", 1, { Team: ["L", 2] })],
    others: [set("owner", 1, { Name: "Zoe" })],
  },
  {
    name: "a row that is gone answers as a hidden one",
    steps: [set("editor", 1, { Team: ["L", 2] })],
    others: [["owner", "RemoveRecord", "People", 1]],
  },
  {
    name: "a row that would be hidden afterwards",
    steps: [set("editor", 3, { Name: "Abe" })],
    conflicts: ["3.Name not_permitted"],
  },
  {
    name: "a cell that others changed",
    steps: [set("editor", 1, { Name: "Ann" })],
    others: [set("owner", 1, { Name: "Abe" })],
    conflicts: ["1.Name changed_since"],
  },
  {
    name: "a cell that they must not write now",
    steps: [set("editor", 1, { Friend: 3 })],
    conflicts: ["1.Friend not_permitted"],
  },
  {
    name: "results of trigger formulas",
    steps: [set("editor", 1, { Name: "Ann" })],
    cells: ["1.Name Ada"],
  },
  {
    name: "a reference to a row that others removed",
    steps: [set("editor", 1, { Friend: 2 }), set("editor", 1, { Friend: 0 })],
  },
  {
    name: "references that they cleared by a removal",
    steps: [set("owner", 1, { Friend: 2 }), ["editor", "RemoveRecord", "People", 2]],
    conflicts: ["2 not_permitted"],
  },
  {
    name: "an added row",
    steps: [["editor", "AddRecord", "People", 9, { Name: "Abe" }]],
    conflicts: ["9 not_permitted"],
  },
  {
    name: "an added row with a hidden change",
    steps: [["editor", "AddRecord", "People", 9, { Name: "Abe" }]],
    others: [set("owner", 9, { Age: 7 }), set("owner", 1, { Buyer: 9 }, "Orders")],
    conflicts: ["9 not_permitted"],
  },
  {
    name: "a removed row whose id a hidden row has",
    steps: [["editor", "RemoveRecord", "People", 3]],
    others: [["owner", "AddRecord", "People", 3, { Name: "Zoe" }]],
    conflicts: ["3 not_permitted"],
  },
  { name: "a removed row", steps: [["editor", "RemoveRecord", "People", 3]], conflicts: ["3 not_permitted"] },
  {
    name: "hidden changes of others",
    steps: [set("editor", 1, { Name: "Ann" })],
    others: [set("owner", 1, { Age: 99 }), set("owner", 3, { Age: 99 }), set("owner", 2, { Buyer: 3 }, "Orders")],
    cells: ["1.Name Ada"],
  },
  {
    name: "a renamed hidden table and removed columns",
    steps: [set("editor", 1, { Name: "Ann", Team: ["L", 2] }), set("editor", 1, { Item: "Pump" }, "Orders")],
    others: [
      ["owner", "RemoveColumn", "People", "Team"],
      ["owner", "RemoveTable", "Orders"],
    ],
    cells: ["1.Name Ada"],
  },
];

interface Place {
  readonly row?: number;
  readonly column?: string;
}

async function planned(
  setting: UndoSetting,
  by: string,
  since: number,
): Promise<{ cells: string[]; conflicts: string[] }> {
  const { status, body } = await setting.undo(by, { since });
  expect(status).toBe(200);
  const listed = [...body.cells, ...body.conflicts] as { table: string }[];
  expect(listed.filter(({ table }) => table !== "People")).toEqual([]);
  expect(body.counts).toMatchObject({
    cells: body.cells.length,
    conflicts: body.conflicts.length,
    removedRows: 0,
    restoredRows: 0,
  });
  const { cells, conflicts } = body as {
    cells: (Place & { to: unknown })[];
    conflicts: (Place & { reason: string })[];
  };
  const placeOf = ({ row, column }: Place) => [row, column].filter(Boolean).join(".");
  return {
    cells: cells.map((cell) => `${placeOf(cell)} ${String(cell.to)}`),
    conflicts: conflicts.map((conflict) => `${placeOf(conflict)} ${conflict.reason}`),
  };
}

test.each(CASES.map((each) => [each.name, each] as const))("under rules: %s", async (_, each) => {
  const setting = await undoSetting(server);
  const since = await setting.newest();
  await setting.make(each.steps);
  const { "Orders:*": _orders, ...remaining } = RULES;
  const isGone = each.others?.some(([, action, table]) => action === "RemoveTable" && table === "Orders");
  if (!isGone) await setRules(server, setting.doc, RULES);
  await setting.make(each.others ?? []);
  if (isGone) await setRules(server, setting.doc, remaining);
  const { cells = [], conflicts = [] } = each;
  const plan = await planned(setting, "editor", since);
  expect(plan).toEqual({ cells: [...cells], conflicts: [...conflicts] });
  if (cells.length === 0) return;
  const { planId } = (await setting.undo("editor", { since })).body;
  expect((await setting.undo("editor", { since, planId })).body).toMatchObject({ isApplied: true });
  expect((await setting.rows("People"))[1]).toMatchObject({ Name: "Ada" });
});

test("an answer that was kept shows restricted callers no cells", async () => {
  const setting = await undoSetting(server);
  const since = await setting.newest();
  await setting.make([set("editor", 1, { Name: "Ann" })]);
  await setRules(server, setting.doc, RULES);
  const key = { "Idempotency-Key": "kept" };
  const { planId } = (await setting.undo("editor", { since }, key)).body;
  expect(planId).toBeString();
  const applied = await setting.undo("editor", { since, planId }, { "Idempotency-Key": "kept 2" });
  expect(applied.body).toMatchObject({ isApplied: true, cells: [{ from: "Ann", to: "Ada" }] });
  for (const [body, header] of [
    [{ since }, key],
    [{ since, planId }, { "Idempotency-Key": "kept 2" }],
  ] as const) {
    const repeated = await setting.undo("editor", body, header);
    expect(JSON.stringify(repeated.body)).not.toContain("Ada");
  }
});

test("a key that is limited to tables undoes cells of these", async () => {
  const setting = await undoSetting(server);
  const documents = setting.doc.split("/").at(-1) ?? "";
  setting.addKey("limited", "owner", { restrictions: { ...NOWHERE, tables: { [documents]: ["People"] } } });
  const since = await setting.newest();
  const body = { records: [{ id: 1, fields: { Name: "Ann" } }] };
  expect((await setting.call("limited", "PATCH", "/tables/People/records", body)).status).toBe(200);
  expect((await setting.call("limited", "POST", "/tables/People/records", { records: [{ fields: {} }] })).status).toBe(
    200,
  );
  expect(await planned(setting, "limited", since)).toEqual({ cells: ["1.Name Ada"], conflicts: ["4 not_permitted"] });
  const { planId } = (await setting.undo("limited", { since })).body;
  expect((await setting.undo("limited", { since, planId })).body).toMatchObject({ isApplied: true });
});
