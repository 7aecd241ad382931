/** The first example of docs/access-rules.md hides its data from an editor, whatever the editor does. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

const SECRET = 4711;

let server: TestApp;
let doc: string;
let tableRef: number;
let columnRef: number;
let hiddenState: number;

/** Returns the actions of the first example in the documentation. */
async function example(): Promise<unknown> {
  const text = await Bun.file(join(import.meta.dir, "../../docs/access-rules.md")).text();
  const [, actions] = /\/apply" -d '([^']+)'/.exec(text) ?? [];
  return JSON.parse(actions ?? "");
}

interface Columns {
  columns: { id: string; fields: { colRef: number; parentId: number } }[];
}

beforeAll(async () => {
  server = await testApp();
  ({ doc } = await createSharedFixture(server));
  const { must } = server;
  const columns = [
    { id: "Item", fields: { type: "Text" } },
    { id: "Total", fields: { type: "Numeric" } },
  ];
  const log = { id: "Log", columns: [{ id: "Order", fields: { type: "Ref:Orders" } }, { id: "Text" }] };
  await must("POST", `${doc}/tables`, { tables: [{ id: "Orders", columns }, log] });
  await must("POST", `${doc}/tables/Orders/records`, {
    records: [{ fields: { Item: "oak", Total: 5 } }, { fields: { Item: "yew", Total: SECRET } }],
  });
  const { columns: found } = await must<Columns>("GET", `${doc}/tables/Orders/columns`);
  const amount = found.find(({ id }) => id === "Total")?.fields;
  tableRef = amount?.parentId ?? 0;
  columnRef = amount?.colRef ?? 0;
  await must("POST", `${doc}/apply`, await example());
  const { states } = await must<{ states: { n: number }[] }>("GET", `${doc}/states`);
  hiddenState = (states[0]?.n ?? 0) - 1;
});
afterAll(() => server[Symbol.asyncDispose]());

const apply = (...actions: unknown[]): [string, string, unknown] => ["POST", "apply", actions];
const formula = { type: "Any", isFormula: true, formula: "Orders.lookupRecords().Total" };

/** Returns requests with which an editor could try to read the order, and their expected status. */
const attempts = (): [status: number, attempt: [method: string, path: string, body?: unknown]][] => [
  [200, ["GET", "tables/Orders/records"]],
  [200, ["GET", `tables/Orders/records?filter={"Total":[${SECRET}]}`]],
  [403, ["PATCH", "tables/Orders/records", { records: [{ id: 2, fields: { Total: 1 } }] }]],
  [403, ["PATCH", "tables/Orders/data", { id: [2], Total: [1] }]],
  [403, ["POST", "tables/Orders/records/delete", [2]]],
  [403, ["PUT", "tables/Orders/records", { records: [{ require: { Total: SECRET }, fields: { Item: "x" } }] }]],
  [403, apply(["UpdateRecord", "Orders", 2, { Total: 1 }])],
  [403, apply(["ApplyDocActions", [["UpdateRecord", "Orders", 2, { Total: 1 }]]])],
  [403, apply(["ReplaceTableData", "Orders", [1], { Total: [1] }])],
  [403, apply(["AddRecord", "Orders", 2, {}])],
  [403, apply(["AddColumn", "Log", "All", formula])],
  [403, apply(["ModifyColumn", "Log", "Text", formula])],
  [403, apply(["ApplyDocActions", [["AddColumn", "Log", "All", formula]]])],
  [403, apply(["SetDisplayFormula", "Log", null, columnRef, "$Order.Total"])],
  [403, apply(["AddTable", "Copy", [{ id: "All", ...formula }]])],
  [403, apply(["DuplicateTable", "Orders", "Copy", true])],
  [403, apply(["CreateViewSection", tableRef, 0, "record", [columnRef], null])],
  [403, apply(["UpdateRecord", "_grist_Tables_column", columnRef, { formula: "$Total" }])],
  [403, apply(["RemoveRecord", "_grist_ACLRules", 2])],
  [403, ["POST", "tables", { tables: [{ id: "Copy", columns: [{ id: "All", fields: formula }] }] }]],
  [403, ["POST", "tables/Log/columns", { columns: [{ id: "All", fields: formula }] }]],
  [403, ["PATCH", "tables/Log/columns", { columns: [{ id: "Text", fields: formula }] }]],
  [403, ["GET", `sql?q=${encodeURIComponent("select * from Orders")}`]],
  [403, ["GET", "download"]],
  [403, ["GET", "compare?left=HEAD~3&right=HEAD&detail=true"]],
  [403, ["GET", "history"]],
  [403, ["POST", `states/${hiddenState}/undo`]],
  [403, ["POST", `states/${hiddenState}/restore`]],
  [403, ["GET", "webhooks"]],
  [200, ["POST", "tables/Log/records", { records: [{ fields: { Order: ["l", SECRET, { column: "Total" }] } }] }]],
  [200, ["POST", "tables/Log/records", { records: [{ fields: { Order: "2" } }, { fields: { Order: 2 } }] }]],
  [200, ["GET", "tables/Log/records?hidden=true"]],
  [200, ["GET", "download/csv?tableId=Orders"]],
  [200, ["GET", "tables/_grist_Tables_column/records"]],
];

test("the first example of the documentation hides its data", async () => {
  for (const [status, [method, path, body]] of attempts()) {
    const reply = await server.call("editor", method, `${doc}/${path}`, body);
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
    expect({ method, path, body, status: reply.status }).toEqual({ method, path, body, status });
    // A reference without a match keeps the given text.
    if (method === "GET" && !path.startsWith("tables/Log"))
      expect({ path, text }).not.toEqual({ path, text: expect.stringMatching(/4711|yew/) });
  }
  const { records } = await server.must<{ records: { fields: object }[] }>("GET", `${doc}/tables/Log/records`);
  expect(records.map(({ fields }) => fields)).toEqual([
    { Order: String(SECRET), Text: "" },
    { Order: "2", Text: "" },
    { Order: 2, Text: "" },
  ]);
  const orders = await server.must<{ records: { id: number; fields: object }[] }>(
    "GET",
    `${doc}/tables/Orders/records`,
  );
  expect(orders.records).toEqual([
    { id: 1, fields: { Item: "oak", Total: 5 } },
    { id: 2, fields: { Item: "yew", Total: SECRET } },
  ]);
});
