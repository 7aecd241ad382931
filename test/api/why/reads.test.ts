import { afterAll, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../../helpers/app.ts";
import { setRules } from "../../helpers/access-rules.ts";
import type { CellExplanation } from "../../../src/doc/why/explanation.ts";
import { addColumns, formula, orders } from "./scene.ts";

let server: TestApp | undefined;
afterAll(() => server?.[Symbol.asyncDispose]());
const started = async () => (server ??= await testApp());

async function why(as: Caller, doc: string, cell: string): Promise<CellExplanation> {
  const { status, body } = await (await started()).call(as, "GET", `${doc}/cells/${cell}/why`);
  expect({ cell, as, status }).toEqual({ cell, as, status: 200 });
  return body as CellExplanation;
}

/** `Table/row/Column` of the cells, and look-ups as `Table(Column=text) found`. */
const readsOf = ({ reads: { cells, lookups, clock, user } }: CellExplanation): string[] => [
  ...cells.map(({ table, row, column }) => `${table}/${row}/${column}`),
  ...lookups.map(({ kind, table, criteria, sort, found }) =>
    [
      kind === "group" ? "group " : "",
      `${table}(${criteria.map(({ column, contains, text }) => `${column}${contains ? "~" : "="}${text}`).join()})`,
      sort.length > 0 ? ` by ${sort.join()}` : "",
      ` ${found}`,
    ].join(""),
  ),
  ...(clock ? ["clock"] : []),
  ...user.map((name) => `user.${name}`),
];

const dependentsOf = ({ dependents: { columns } }: CellExplanation): string[] =>
  columns.map(({ table, column, kind, cells }) => `${table}.${column} ${kind} ${cells}`).toSorted();

/** The formula of a column of Customers, and what its cell in row 1 reads. */
const FORMULAS: readonly (readonly [kind: string, formula: string, reads: readonly string[]])[] = [
  ["own row", "$Rate * 2", ["Customers/1/Rate"]],
  ["one branch", "$Name if $Rate > 1 else $Secret", ["Customers/1/Rate", "Customers/1/Name"]],
  ["constant", "1 + 1", []],
  ["clock", "TODAY()", ["clock"]],
  [
    "sorted look-up",
    "Orders.lookupRecords(Customer=$id, order_by='-Price').Title",
    ["Orders/1/Title", "Orders/2/Title", "Orders(Customer=Ada) by -Price 2"],
  ],
  ["only its length", "len(Orders.lookupRecords(Customer=$id))", ["Orders(Customer=Ada) 2"]],
  ["CONTAINS", "len(Orders.lookupRecords(Tags=CONTAINS('big')))", ["Orders(Tags~big) 1"]],
  ["nothing found", "Orders.lookupOne(Title=$Name).Price", ["Customers/1/Name", "Orders(Title=Ada) 0"]],
  [
    "chain through a look-up",
    "Orders.lookupOne(Title='First').Customer.City",
    ["Orders/1/Customer", "Customers/1/City", "Orders(Title=First) 1"],
  ],
  ["attribute by name", "getattr(rec, 'Ci' + 'ty')", ["Customers/1/City"]],
  [
    "RECORD",
    "RECORD(Orders.lookupOne(Title='Third'))",
    [
      ..."Title Customer Quantity Price Tags Total City Ratio".split(" ").map((id) => `Orders/3/${id}`),
      "Orders(Title=Third) 1",
    ],
  ],
  ["all rows", "len(Orders.all)", ["Orders() 3"]],
  ["PEEK", "PEEK($Name)", ["Customers/1/Name"]],
  ["failing", "$Name + $Rate", ["Customers/1/Name", "Customers/1/Rate"]],
];

test("lists what each kind of formula reads, and the columns that it reads list it as dependent", async () => {
  const app = await started();
  const doc = await orders(app);
  await addColumns(
    app,
    `${doc}/tables/Customers`,
    FORMULAS.map(([, text], at) => formula(`F${at}`, text)),
  );
  for (const [at, [kind, , expected]] of FORMULAS.entries()) {
    const explained = await why("owner", doc, `Customers/1/F${at}`);
    expect({ kind, reads: readsOf(explained) }).toEqual({ kind, reads: [...expected] });
    expect(explained).toMatchObject({ kind: "formula", cost: { steps: expect.any(Number), time: "fast" } });
    // PEEK reads cells without depending on them.
    for (const { table, row, column } of kind === "PEEK" ? [] : explained.reads.cells) {
      const { dependents } = await why("owner", doc, `${table}/${row}/${column}`);
      expect(dependents.columns.map((other) => `${other.table}.${other.column}`)).toContain(`Customers.F${at}`);
    }
  }
});

test("explains the other kinds of cells", async () => {
  const app = await started();
  const doc = await orders(app);
  await addColumns(app, `${doc}/tables/Orders`, [
    { id: "Seen", fields: { type: "Text", formula: "user.Email + $Title", isFormula: false, recalcWhen: 2 } },
    { id: "Stamp", fields: { type: "Text", formula: "$Title.upper()", isFormula: false, recalcWhen: 0 } },
  ]);
  const columns = await app.must<{ columns: { id: string; fields: { colRef: number } }[] }>(
    "GET",
    `${doc}/tables/Orders/columns`,
  );
  const refOf = (id: string) => columns.columns.find((column) => column.id === id)?.fields.colRef ?? 0;
  await app.must("POST", `${doc}/apply`, [["ModifyColumn", "Orders", "Stamp", { recalcDeps: ["L", refOf("Title")] }]]);
  const { tables } = await app.must<{ tables: { id: string; fields: { tableRef: number } }[] }>("GET", `${doc}/tables`);
  const table = tables.find(({ id }) => id === "Orders")?.fields.tableRef;
  await app.must("POST", `${doc}/apply`, [["CreateViewSection", table, 0, "record", [refOf("Customer")], null]]);
  const data = await why("owner", doc, "Orders/1/Title");
  expect(data).toMatchObject({
    kind: "data",
    formula: null,
    cost: null,
    cell: { rowLabel: "First", label: "Title", value: "First", text: "First" },
  });
  expect(readsOf(data)).toEqual([]);
  expect(dependentsOf(data)).toEqual(["Orders.Seen trigger 1", "Orders.Stamp trigger 1"]);
  const seen = await why("owner", doc, "Orders/1/Seen");
  expect(seen).toMatchObject({ kind: "trigger", trigger: { when: "everyEdit", columns: [] } });
  expect(readsOf(seen)).toEqual(["Orders/1/Title", "user.Email"]);
  expect(await why("owner", doc, "Orders/1/Stamp")).toMatchObject({
    kind: "trigger",
    trigger: { when: "changes", columns: [{ column: "Title", label: "Title" }] },
  });
  const group = await why("owner", doc, "Orders_summary_Customer/1/Customer");
  expect(group).toMatchObject({ kind: "summary", summaryOf: "Orders" });
  expect(readsOf(group)).toEqual(["group Orders(Customer=Ada) 2"]);
  const sum = await why("owner", doc, "Orders_summary_Customer/1/Total");
  expect(readsOf(sum)).toContain("Orders/1/Total");
  expect(dependentsOf(await why("owner", doc, "Orders/1/Total"))).toContain("Orders_summary_Customer.Total formula 1");
  expect(dependentsOf(await why("owner", doc, "Orders/1/Customer"))).toContain(
    "Orders_summary_Customer.Customer summary null",
  );
});

test("follows errors to the cell that they come from, and names circles", async () => {
  const app = await started();
  const doc = await orders(app);
  await addColumns(app, `${doc}/tables/Orders`, [
    formula("Half", "$Ratio / 2"),
    formula("Quarter", "$Half / 2"),
    formula("Red", "$Blue + 1"),
    formula("Blue", "$Green + 1"),
    formula("Green", "$Red + 1"),
    formula("Self", "$Self + 1"),
    formula("Outside", "$Red * 2"),
    formula("Broken", "SUM("),
  ]);
  const named = (cells: readonly { table: string; row: number; column: string }[]) =>
    cells.map(({ table, row, column }) => `${table}/${row}/${column}`);
  expect(await why("owner", doc, "Orders/2/Quarter")).toMatchObject({
    error: { type: "ZeroDivisionError", message: "A number is divided by zero.", origin: { row: 2, column: "Ratio" } },
  });
  expect((await why("owner", doc, "Orders/2/Ratio")).error).toMatchObject({ origin: null, line: 2 });
  expect((await why("owner", doc, "Orders/1/Ratio")).error).toBeNull();
  const circles = {
    Red: ["Orders/1/Red", "Orders/1/Blue", "Orders/1/Green"],
    Self: ["Orders/1/Self"],
    Outside: ["Orders/1/Red", "Orders/1/Blue", "Orders/1/Green"],
  };
  for (const [column, circle] of Object.entries(circles)) {
    const { error } = await why("owner", doc, `Orders/1/${column}`);
    expect({ column, cycle: named(error?.cycle ?? []) }).toEqual({ column, cycle: circle });
  }
  expect(await why("owner", doc, "Orders/1/Broken")).toMatchObject({ error: { type: "SyntaxError", line: 1 } });
});

test("follows renames of tables and columns", async () => {
  const app = await started();
  const doc = await orders(app);
  const before = await why("owner", doc, "Orders/1/City");
  expect(readsOf(before)).toEqual(["Orders/1/Customer", "Customers/1/City"]);
  await app.must("POST", `${doc}/apply`, [
    ["RenameColumn", "Customers", "City", "Town"],
    ["RenameTable", "Customers", "Clients"],
    ["RenameColumn", "Orders", "Customer", "Client"],
  ]);
  expect(readsOf(await why("owner", doc, "Orders/1/City"))).toEqual(["Orders/1/Client", "Clients/1/Town"]);
  expect(dependentsOf(await why("owner", doc, "Clients/1/Town"))).toEqual(["Orders.City formula 2"]);
  expect(dependentsOf(await why("owner", doc, "Orders/1/Client"))).toEqual(["Orders.City formula 1"]);
});

test("lists at most limit cells, and counts the others", async () => {
  const app = await started();
  const doc = await orders(app);
  await addColumns(app, `${doc}/tables/Customers`, [formula("All", "SUM(Orders.all.Price)")]);
  const { body } = await app.call("owner", "GET", `${doc}/cells/Customers/1/All/why?limit=2`);
  expect(body).toMatchObject({ reads: { cells: [{ row: 1 }, { row: 2 }], more: 1, moreLookups: 0 } });
  expect((await app.call("owner", "GET", `${doc}/cells/Customers/1/All/why?limit=0`)).status).toBe(400);
});

test("writes nothing: neither cells nor history change", async () => {
  const app = await started();
  const doc = await orders(app);
  await addColumns(app, `${doc}/tables/Orders`, [formula("Late", "NOW()"), formula("Dice", "RAND()")]);
  const read = async () => [
    await app.must("GET", `${doc}/tables/Orders/records`),
    await app.must("GET", `${doc}/states`),
  ];
  const before = await read();
  await why("owner", doc, "Orders/1/Late");
  await why("owner", doc, "Orders/1/Dice");
  expect(await read()).toEqual(before);
});

test("roles and rules decide who changes a cell; owners see the rule, other callers the memo", async () => {
  const app = await started();
  const doc = await orders(app);
  await setRules(app, doc, {
    "Orders:Price": [
      { formula: "user.Access != OWNER and rec.Quantity > 1", permissions: "-U", memo: "Orders of two are final" },
    ],
  });
  const access = async (as: Caller, cell: string) => (await why(as, doc, cell)).access;
  const rule = { table: "Orders", columns: "Price", permissions: "-U", memo: "Orders of two are final" };
  expect(await access("editor", "Orders/1/Price")).toEqual({
    read: { allowed: true, memos: [], rule: null },
    update: { allowed: false, memos: ["Orders of two are final"], rule: null },
  });
  expect(await access("editor", "Orders/2/Price")).toMatchObject({ update: { allowed: true, memos: [], rule: null } });
  expect(await access("viewer", "Orders/2/Price")).toMatchObject({ update: { allowed: false, memos: [], rule: null } });
  expect(await access("owner", "Orders/1/Price")).toMatchObject({ update: { allowed: true, rule: null } });
  await setRules(app, doc, { "Orders:Price": [{ formula: "rec.Quantity > 1", permissions: "-U", memo: rule.memo }] });
  expect(await access("owner", "Orders/1/Price")).toMatchObject({
    update: { allowed: false, memos: [rule.memo], rule: { ...rule, condition: "rec.Quantity > 1" } },
  });
  expect((await why("owner", doc, "Orders/1/Quantity")).dependents.rules).toEqual([
    { kind: "rule", name: "Orders:Price", detail: "rec.Quantity > 1" },
  ]);
  expect((await why("editor", doc, "Orders/1/Quantity")).dependents.rules).toEqual([]);
});
