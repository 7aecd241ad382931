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
    ["AddTable", "People", columns({ City: "Text", Secret: "Text" })],
    ["BulkAddRecord", "People", [1, 2], { City: ["Oslo", "Rome"], Secret: ["x", "y"] }],
    ["AddTable", "Tasks", columns({ Title: "Text", Qty: "Int", Owner: "Ref:People", Status: "Text" })],
    [
      "BulkAddRecord",
      "Tasks",
      [1, 2, 3, 4],
      { Title: ["a", "b", "c", "d"], Qty: [1, 2, 3, 4], Owner: [1, 2, 1, 0], Status: ["", "", "", "done"] },
    ],
  ]);
});

const statuses = async (): Promise<unknown[]> =>
  (await server.must<{ Status: unknown[] }>("GET", `${doc}/tables/Tasks/data`)).Status;
const idsLeft = async (): Promise<number[]> =>
  (await server.must<{ id: number[] }>("GET", `${doc}/tables/Tasks/data`)).id;
const search = (values: Record<string, string>): string => new URLSearchParams(values).toString();

const patch = (as: Caller, filter: unknown, more: Record<string, string> = {}, body: unknown = FIELDS) =>
  server.call(as, "PATCH", `${doc}/tables/Tasks/records?${search({ filter: JSON.stringify(filter), ...more })}`, body);
const remove = (as: Caller, body: unknown) => server.call(as, "POST", `${doc}/tables/Tasks/records/delete`, body);
const FIELDS = { fields: { Status: "new" } };

describe("modifying by a filter", () => {
  test.each<[filter: unknown, statuses: string[]]>([
    [{ Qty: { gt: 1, lt: 4 } }, ["", "new", "new", "done"]],
    [{ Title: ["a", "d"] }, ["new", "", "", "new"]],
    [{ "Owner.City": { eq: "Oslo" } }, ["new", "", "new", "done"]],
    [{ or: [{ id: { eq: 1 } }, { Status: { empty: false } }] }, ["new", "", "", "new"]],
    [{ Qty: { gt: 99 } }, ["", "", "", "done"]],
  ])("%j", async (filter, expected) => {
    const reply = await patch("editor", filter);
    expect([reply.status, reply.body]).toEqual([200, null]);
    expect(await statuses()).toEqual(expected);
  });

  test("parses texts as other changes do", async () => {
    await patch("editor", { Qty: { eq: 1 } }, {}, { fields: { Qty: "12" } });
    const { Qty } = await server.must<{ Qty: unknown[] }>("GET", `${doc}/tables/Tasks/data`);
    expect(Qty).toEqual([12, 2, 3, 4]);
  });

  test.each<[filter: unknown, query: Record<string, string>, body: unknown, status: number, code: string]>([
    [{ Qty: { gt: 0 } }, { maxRows: "3" }, FIELDS, 413, "limit.matched_rows"],
    [{ Qty: { gt: 0 } }, { maxRows: "0" }, FIELDS, 400, "payload.invalid"],
    [{ Qty: { gt: 0 } }, { maxRows: "200001" }, FIELDS, 400, "request.invalid"],
    [{ Qty: { gt: 0 } }, { maxRows: "many" }, FIELDS, 400, "payload.invalid"],
    [{}, {}, FIELDS, 400, "filter.invalid"],
    [[], {}, FIELDS, 400, "filter.invalid"],
    [{ Qty: { above: 0 } }, {}, FIELDS, 400, "filter.operator"],
    [{ Nope: { gt: 0 } }, {}, FIELDS, 400, "column.unknown"],
    [{ Qty: { gt: 0 } }, {}, { records: [{ id: 1, fields: { Status: "new" } }] }, 400, "request.invalid"],
    [{ Qty: { gt: 0 } }, {}, {}, 400, "payload.invalid"],
    [{ Qty: { gt: 0 } }, {}, { fields: { Status: {} } }, 400, "payload.invalid"],
    [{ Qty: { gt: 0 } }, {}, { fields: { Nope: 1 } }, 400, "column.unknown"],
  ])("%j %j %j is refused, and nothing is changed", async (filter, query, body, status, code) => {
    const before = await statuses();
    const reply = await patch("editor", filter, query, body);
    expect([reply.status, reply.body.details.code]).toEqual([status, code]);
    expect(await statuses()).toEqual(before);
  });

  test("names the number of records that a filter selects", async () => {
    const reply = await patch("editor", { Qty: { gt: 0 } }, { maxRows: "3" });
    expect(reply.body.details).toEqual({ code: "limit.matched_rows", matchedRows: 4, maxRows: 3 });
  });

  test("without a filter, fields are refused with the sentence for records that are missing", async () => {
    const reply = await server.call("editor", "PATCH", `${doc}/tables/Tasks/records`, FIELDS);
    expect([reply.status, reply.body.error]).toEqual([400, "Invalid payload"]);
    expect(await statuses()).toEqual(["", "", "", "done"]);
  });

  test("is refused for viewers", async () => {
    expect((await patch("viewer", { Qty: { gt: 0 } })).status).toBe(403);
  });
});

describe("deleting by a filter", () => {
  test.each<[body: unknown, left: number[]]>([
    [{ filter: { Qty: { gte: 3 } } }, [1, 2]],
    [{ filter: { Status: ["done"] } }, [1, 2, 3]],
    [{ filter: { "Owner.City": { empty: true } } }, [1, 2, 3]],
    [{ filter: { id: { gt: 0 } }, maxRows: 4 }, []],
    [{ filter: { Qty: { gt: 99 } } }, [1, 2, 3, 4]],
    [
      [2, 99],
      [1, 3, 4],
    ],
  ])("%j", async (body, left) => {
    const reply = await remove("editor", body);
    expect([reply.status, reply.body]).toEqual([200, null]);
    expect(await idsLeft()).toEqual(left);
  });

  test.each<[body: unknown, status: number, code: string]>([
    [{ filter: { Qty: { gt: 0 } }, maxRows: 3 }, 413, "limit.matched_rows"],
    [{ filter: { Qty: { gt: 0 } }, maxRows: 1.5 }, 400, "request.invalid"],
    [{ filter: {} }, 400, "filter.invalid"],
    [{ filter: null }, 400, "filter.invalid"],
    [{ filter: "{}" }, 400, "filter.invalid"],
    [{}, 400, "payload.invalid"],
  ])("%j is refused, and nothing is deleted", async (body, status, code) => {
    const reply = await remove("editor", body);
    expect([reply.status, reply.body.details.code]).toEqual([status, code]);
    expect(await idsLeft()).toEqual([1, 2, 3, 4]);
  });
});

describe("under access rules", () => {
  const hides = (formula: string, permissions = "-R") => [
    { formula: `user.Access == EDITOR and ${formula}`, permissions },
  ];

  test("hidden rows neither change nor count", async () => {
    await setRules(server, doc, { "Tasks:*": hides("rec.Qty == 2") });
    const refused = await patch("editor", { Qty: { gt: 0 } }, { maxRows: "2" });
    expect(refused.body.details).toMatchObject({ matchedRows: 3 });
    await patch("editor", { Qty: { gt: 0 } }, { maxRows: "3" });
    expect(await statuses()).toEqual(["new", "", "new", "new"]);
    await remove("editor", { filter: { Qty: { lt: 3 } } });
    expect(await idsLeft()).toEqual([2, 3, 4]);
  });

  test("rows with a hidden cell in the filter are left alone, whatever they contain", async () => {
    await setRules(server, doc, { "Tasks:Qty": hides("rec.Title == 'b'") });
    await patch("editor", { Qty: { lt: 3 } });
    await patch("editor", { not: { Qty: { gt: 1 } } });
    expect(await statuses()).toEqual(["new", "", "", "done"]);
    await patch("editor", { or: [{ Qty: { eq: 99 } }, { Title: { eq: "b" } }] });
    expect(await statuses()).toEqual(["new", "new", "", "done"]);
  });

  test("a path does not lead to hidden rows", async () => {
    await setRules(server, doc, { "People:*": hides("rec.City == 'Oslo'") });
    await patch("editor", { "Owner.City": { eq: "Oslo" } });
    expect(await statuses()).toEqual(["", "", "", "done"]);
    await patch("editor", { "Owner.City": { empty: true } });
    expect(await statuses()).toEqual(["new", "", "new", "new"]);
  });

  test("hidden columns, and columns of hidden tables, do not exist", async () => {
    await setRules(server, doc, { "People:Secret": hides("True"), "Tasks:Status": hides("True") });
    const unknown = (column: string) => [400, "column.unknown", `Invalid column "${column}"`];
    const codeOf = async (column: string): Promise<unknown[]> => {
      const { status, body } = await patch("editor", { [column]: { eq: "x" } });
      const { error, details } = body as { error: string; details: { code: string } };
      return [status, details.code, error];
    };
    for (const column of ["Status", "Nope", "Owner.Secret", "Owner.Nope", "Title.City"])
      expect(await codeOf(column)).toEqual(unknown(column));
    await setRules(server, doc, { "People:*": hides("True", "none") });
    for (const column of ["Owner.City", "Owner.Nope", "Owner.id"])
      expect(await codeOf(column)).toEqual(unknown(column));
  });
});
