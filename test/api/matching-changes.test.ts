/** Changes of all records that a filter selects: their number, their one state of the history, and their size. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setRules } from "../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  ({ doc } = await createSharedFixture(server));
  const columns = (types: Record<string, string>) =>
    Object.entries(types).map(([id, type]) => ({ id, type, isFormula: false }));
  await server.must("POST", `${doc}/apply`, [
    ["AddTable", "Tasks", columns({ Title: "Text", Qty: "Int", Status: "Text" })],
    ["BulkAddRecord", "Tasks", [1, 2, 3, 4], { Title: ["Tea", "tea pot", "a.b", ""], Qty: [1, 2, 3, 4] }],
  ]);
});

const path = () => `${doc}/tables/Tasks/records`;
const change = (as: Caller, body: object) => server.call(as, "POST", `${path()}/change`, body);
const column = async (id: string): Promise<unknown[]> =>
  (await server.must<Record<string, unknown[]>>("GET", `${doc}/tables/Tasks/data`))[id] ?? [];

describe("changing records by a filter", () => {
  test("sets cells in one state, which is undone at once", async () => {
    const { body } = await change("editor", { filter: { Qty: { gt: 2 } }, expectedRows: 2, fields: { Status: "new" } });
    expect(body).toMatchObject({ rows: 2, isModification: true, actionHash: expect.any(String) });
    expect(await column("Status")).toEqual(["", "", "new", "new"]);
    expect((await server.call("editor", "POST", `${doc}/states/${body.actionNum}/undo`)).status).toBe(200);
    expect(await column("Status")).toEqual(["", "", "", ""]);
  });

  test.each([
    [{ find: "tea", by: "$& $1" }, ["$& $1", "$& $1 pot", "a.b", ""], 2],
    [{ find: "tea", by: "mug", matchCase: true }, ["Tea", "mug pot", "a.b", ""], 1],
    [{ find: ".", by: "" }, ["Tea", "tea pot", "ab", ""], 1],
    [{ find: "none", by: "x" }, ["Tea", "tea pot", "a.b", ""], 0],
  ])("replaces texts: %j", async (texts, expected, rows) => {
    const replace = { column: "Title", ...texts };
    const { body } = await change("editor", { filter: {}, expectedRows: 4, replace });
    expect(body).toMatchObject({ rows, isModification: rows > 0 });
    expect(await column("Title")).toEqual(expected);
  });

  test("duplicates and deletes", async () => {
    await change("editor", { filter: { Qty: { lt: 3 } }, expectedRows: 2, action: "duplicate" });
    expect(await column("Title")).toEqual(["Tea", "tea pot", "a.b", "", "Tea", "tea pot"]);
    await change("editor", { filter: { Qty: { lt: 3 } }, expectedRows: 4, action: "delete" });
    expect(await column("Title")).toEqual(["a.b", ""]);
  });

  test.each([1, 5])("with %d expected instead of 4, nothing is changed", async (expectedRows) => {
    for (const what of [{ fields: { Qty: 9 } }, { action: "delete" }, { action: "duplicate" }]) {
      const { status, body } = await change("editor", { filter: {}, expectedRows, ...what });
      expect([status, body.details]).toEqual([409, { code: "filter.rows_changed", matchedRows: 4, expectedRows }]);
    }
    expect(await column("Qty")).toEqual([1, 2, 3, 4]);
  });

  test.each<[body: object, status: number, code: string]>([
    [{ expectedRows: 4, fields: { Nope: 1 } }, 400, "column.unknown"],
    [{ expectedRows: 4, replace: { column: "Nope", find: "a", by: "b" } }, 400, "column.unknown"],
    [{ expectedRows: 4, replace: { column: "Qty", find: "1", by: "2" } }, 400, "request.invalid"],
    [{ expectedRows: 4, replace: { column: "Title", find: "", by: "2" } }, 400, "payload.invalid"],
    [{ expectedRows: 4 }, 400, "payload.invalid"],
    [{ fields: { Qty: 1 } }, 400, "payload.invalid"],
  ])("%j is refused", async (body, status, code) => {
    const reply = await change("editor", { filter: {}, ...body });
    expect([reply.status, reply.body.details?.code]).toEqual([status, code]);
  });

  test("is refused for viewers", async () => {
    expect((await change("viewer", { filter: {}, expectedRows: 4, action: "delete" })).status).toBe(403);
  });
});

describe("under access rules", () => {
  const hides = (formula: string) => [{ formula: `user.Access == EDITOR and ${formula}`, permissions: "-R" }];

  test("hidden rows neither change nor count", async () => {
    await setRules(server, doc, { "Tasks:*": hides("rec.Qty == 2") });
    const refused = await change("editor", { filter: {}, expectedRows: 4, action: "delete" });
    expect(refused.body.details).toMatchObject({ matchedRows: 3 });
    await change("editor", { filter: {}, expectedRows: 3, fields: { Status: "x" } });
    expect(await column("Status")).toEqual(["x", "", "x", "x"]);
  });

  test("hidden cells are neither searched nor copied", async () => {
    await setRules(server, doc, { "Tasks:Title": hides("rec.Qty == 1") });
    const replace = { column: "Title", find: "tea", by: "mug" };
    expect((await change("editor", { filter: {}, expectedRows: 4, replace })).body).toMatchObject({ rows: 1 });
    await change("editor", { filter: { Qty: { lt: 3 } }, expectedRows: 2, action: "duplicate" });
    expect(await column("Title")).toEqual(["Tea", "mug pot", "a.b", "", "", "mug pot"]);
  });
});

describe("the size of a change", () => {
  const size = async (as: Caller, body: object) =>
    (await server.call(as, "POST", `${path()}/change/size`, body)).body as { bytes: number };

  test("is that of the selected records and columns", async () => {
    const one = await size("viewer", { filter: { Qty: { gt: 1 } }, columns: ["Title"] });
    expect(one).toMatchObject({ rows: 3, cells: 3, keptBytes: 100 * 1024 ** 2 });
    const all = await size("viewer", { filter: {} });
    expect(all).toMatchObject({ rows: 4, cells: 12 });
    expect(all.bytes).toBeGreaterThan(one.bytes);
    const { body } = await server.call("viewer", "POST", `${path()}/change/size`, { filter: {}, columns: ["Nope"] });
    expect(body.details.code).toBe("column.unknown");
  });

  test("does not depend on hidden values", async () => {
    await setRules(server, doc, {
      "Tasks:Title": [{ formula: "user.Access == EDITOR and rec.Qty == 1", permissions: "-R" }],
    });
    const before = await size("editor", { filter: {}, columns: ["Title"] });
    await server.must("PATCH", path(), { records: [{ id: 1, fields: { Title: "x".repeat(1000) } }] });
    expect(await size("editor", { filter: {}, columns: ["Title"] })).toEqual(before);
  });
});
