/** Messages of refusals that existing programs match, each as the response of a request, and their codes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FROZEN, type FrozenMessage } from "../../src/errors/frozen-messages.ts";
import { translateSqliteError } from "../../src/sqlite/errors.ts";
import { sampleDocument, testApp, type Caller, type Sample, type TestApp } from "../helpers/app.ts";

let server: TestApp;
let sample: Sample;
beforeAll(async () => {
  server = await testApp({ flags: { "sql-timeout-ms": "100" } });
  sample = await sampleDocument(server);
  const { must } = server;
  await must("POST", `/api/docs/${sample.doc}/tables/Table1/records`, { records: [{ fields: { A: 1 } }] });
  const users = { "vito@example.com": "viewers", "emil@example.com": "editors" };
  await must("PATCH", `/api/docs/${sample.doc}/access`, { delta: { users } });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Case {
  readonly as?: Caller;
  readonly method: string;
  /** Below `/api`; `{doc}` is the sample document. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** The values in the message. */
  readonly values: readonly unknown[];
  readonly details?: Record<string, unknown>;
}

const DOC = "/docs/{doc}";
const RECORDS = `${DOC}/tables/Table1/records`;
const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

const CASES: Record<keyof typeof FROZEN, readonly Case[]> = {
  documentNotFound: [{ method: "GET", path: "/docs/typotypotypo/tables/Table1/data", status: 404, values: [] }],
  tableNotFound: [
    { method: "GET", path: `${DOC}/tables/Unicorn/data`, status: 404, values: ["Unicorn"] },
    { method: "GET", path: `${DOC}/tables/Unicorn/records`, status: 404, values: ["Unicorn"] },
    { method: "GET", path: `${DOC}/tables/Unicorn/columns`, status: 404, values: ["Unicorn"] },
    { method: "GET", path: `${DOC}/download/csv?tableId=Unicorn`, status: 404, values: ["Unicorn"] },
    {
      method: "PUT",
      path: `${DOC}/tables/Unicorn/records`,
      body: { records: [{ require: { A: 1 } }] },
      status: 404,
      values: ["Unicorn"],
    },
  ],
  invalidColumn: [
    {
      method: "POST",
      path: `${DOC}/tables/Table1/data`,
      body: { A: ["Beets"], NumX: [2] },
      status: 400,
      values: ["NumX"],
    },
    { method: "POST", path: RECORDS, body: { records: [{ fields: { NumX: 2 } }] }, status: 400, values: ["NumX"] },
    {
      method: "PATCH",
      path: RECORDS,
      body: { records: [{ id: 1, fields: { NumX: 2 } }] },
      status: 400,
      values: ["NumX"],
    },
    {
      method: "PUT",
      path: RECORDS,
      body: { records: [{ require: { NoColumn: 1 } }] },
      status: 400,
      values: ["NoColumn"],
    },
    {
      method: "GET",
      path: `${DOC}/tables/Table1/data?filter=${encodeURIComponent('{"ColorBoom":[2]}')}`,
      status: 400,
      values: ["ColorBoom"],
    },
    { method: "GET", path: `${RECORDS}?sort=-ColorBoom`, status: 400, values: ["ColorBoom"] },
  ],
  invalidRowId: [
    { method: "PATCH", path: RECORDS, body: { records: [{ id: 999, fields: { A: 2 } }] }, status: 400, values: [999] },
    { method: "PATCH", path: `${DOC}/tables/Table1/data`, body: { id: [999], A: [2] }, status: 400, values: [999] },
    {
      method: "POST",
      path: `${DOC}/apply`,
      body: [["UpdateRecord", "Table1", 999, { A: 2 }]],
      status: 400,
      values: [999],
    },
  ],
  noViewAccess: [
    { as: "stranger", method: "GET", path: RECORDS, status: 403, values: [] },
    { as: "anon", method: "GET", path: RECORDS, status: 403, values: [] },
    { as: "stranger", method: "POST", path: RECORDS, body: { records: [{}] }, status: 403, values: [] },
  ],
  noWriteAccess: [
    {
      as: "viewer",
      method: "POST",
      path: `${DOC}/apply`,
      body: [["AddTable", "X", [{ id: "A" }]]],
      status: 403,
      values: [],
    },
  ],
  noOwnerAccess: [{ as: "editor", method: "GET", path: `${DOC}/webhooks`, status: 403, values: [] }],
  blockedByRules: [
    {
      as: "editor",
      method: "POST",
      path: RECORDS,
      body: { records: [{}] },
      status: 403,
      values: ["table", "create"],
      details: { memos: [] },
    },
  ],
  invalidPayload: [
    {
      method: "POST",
      path: RECORDS,
      body: {},
      status: 400,
      values: [],
      details: { userError: expect.stringMatching(/^Error: body\.records /) },
    },
  ],
  filterValues: [
    { method: "GET", path: `${RECORDS}?filter=${encodeURIComponent('{"A":"world"}')}`, status: 400, values: [] },
  ],
  unknownOnMany: [
    {
      method: "PUT",
      path: `${RECORDS}?onmany=foo`,
      body: { records: [{ require: { A: 1 } }] },
      status: 400,
      values: ["foo"],
    },
  ],
  emptyRequire: [
    { method: "PUT", path: RECORDS, body: { records: [{ require: {}, fields: { A: 1 } }] }, status: 400, values: [] },
  ],
  fieldsDiffer: [
    {
      method: "PATCH",
      path: RECORDS,
      body: {
        records: [
          { id: 1, fields: { A: 1 } },
          { id: 2, fields: { B: 3 } },
        ],
      },
      status: 400,
      values: [],
      details: { userError: "Error: body.records[1].fields differs" },
    },
  ],
  ownRole: [
    {
      method: "PATCH",
      path: `${DOC}/access`,
      body: { delta: { users: { "olga@example.com": "viewers" } } },
      status: 400,
      values: [],
    },
  ],
  statementCancelled: [
    { method: "POST", path: `${DOC}/sql`, body: { sql: ENDLESS, timeout: 10 }, status: 400, values: [10] },
  ],
};

describe("messages that existing programs match", () => {
  const cases = Object.entries(CASES).flatMap(([name, list]) =>
    list.map((one) => [`${name}: ${one.method} ${one.path}`, name, one] as const),
  );
  test.each(cases)("%s", async (_, name, { as = "owner", method, path, body, status, values, details }) => {
    if (name === "blockedByRules") await denyCreation();
    const { code, message } = FROZEN[name as keyof typeof FROZEN] as FrozenMessage<readonly unknown[]>;
    const reply = await server.call(as, method, `/api${path.replace("{doc}", sample.doc)}`, body);
    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ error: message(...values), details: { code, ...details } });
  });
});

async function denyCreation(): Promise<void> {
  const resource = ["AddRecord", "_grist_ACLResources", -1, { tableId: "Table1", colIds: "*" }];
  const rule = { resource: -1, aclFormula: "user.Access != OWNER", permissionsText: "-C", rulePos: 1 };
  await server.must("POST", `/api/docs/${sample.doc}/apply`, [resource, ["AddRecord", "_grist_ACLRules", null, rule]]);
}

test("a busy database is not named SQLITE_BUSY, on which a client repeats the request endlessly", () => {
  const busy = translateSqliteError(Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY_SNAPSHOT" }));
  expect(busy).toMatchObject({ reason: "server.unavailable", retryAfterS: 1 });
  expect((busy as Error).message).not.toContain("SQLITE_BUSY");
});
