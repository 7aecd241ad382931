import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { setRules } from "../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { createTeaFixture } from "../helpers/tea-fixture.ts";

let server: TestApp;
let doc: string;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  ({ doc } = await createTeaFixture(server));
});

const ADD = { records: [{ fields: { Name: "Oolong", Friend: 1 } }, { fields: { Name: "", Friend: 0 } }] };
const MODIFY = { records: [2, 1, 2].map((id) => ({ id, fields: { Name: `tea ${id}` } })) };
const UPSERT = {
  records: [{ require: { Name: "Mate" } }, { require: { Name: "Sencha" }, fields: { Friend: 2 } }],
};
const record = (id: number, Name: string, Friend: number) => ({ id, fields: { Name, Friend, Length: Name.length } });
const idList = (...ids: number[]) => ({ records: ids.map((id) => ({ id })) });

const ANSWERS: [method: string, query: string, body: unknown, answer: unknown][] = [
  ["POST", "", ADD, idList(3, 4)],
  ["POST", "?return=none", ADD, null],
  ["POST", "?return=ids", ADD, idList(3, 4)],
  ["POST", "?return=records", ADD, { records: [record(3, "Oolong", 1), record(4, "", 0)] }],
  ["POST", "?return=records&flat=1", [{ Name: "A" }], { records: [record(3, "A", 0)] }],
  ["PATCH", "", MODIFY, null],
  ["PATCH", "?return=none", MODIFY, null],
  ["PATCH", "?return=ids", MODIFY, idList(2, 1)],
  ["PATCH", "?return=records", MODIFY, { records: [record(2, "tea 2", 1), record(1, "tea 1", 2)] }],
  ["PATCH", "?return=records", { records: [{ id: 99, fields: {} }] }, { records: [] }],
  ["PUT", "", UPSERT, { recordIds: [[3], [2]], addRecordIds: [3], updateRecordIds: [[2]] }],
  ["PUT", "?return=none", UPSERT, null],
  ["PUT", "?return=ids", UPSERT, idList(3, 2)],
  ["PUT", "?return=records", UPSERT, { records: [record(3, "Mate", 0), record(2, "Sencha", 2)] }],
];

test.each(ANSWERS)("%s records%s %j", async (method, query, body, answer) => {
  const reply = await server.call("owner", method, `${doc}/tables/Tea/records${query}`, body);
  expect([reply.status, reply.body]).toEqual([200, answer]);
});

test.each([
  ["", null],
  ["?return=none", null],
  ["?return=ids", idList(2)],
  ["?return=records", { records: [record(2, "Matcha", 1)] }],
])("PATCH of one record%s", async (query, answer) => {
  const reply = await server.call("owner", "PATCH", `${doc}/tables/Tea/records/2${query}`, {
    fields: { Name: "Matcha" },
  });
  expect([reply.status, reply.body]).toEqual([200, answer]);
});

test("an unknown form is refused, and nothing is changed", async () => {
  const before = await server.must("GET", `${doc}/tables/Tea/records`);
  for (const method of ["POST", "PATCH", "PUT"]) {
    const reply = await server.call("owner", method, `${doc}/tables/Tea/records?return=rows`, ADD);
    expect([reply.status, reply.body.details.code]).toEqual([400, "payload.invalid"]);
  }
  expect(await server.must("GET", `${doc}/tables/Tea/records`)).toEqual(before);
});

test("records of a renamed table are those of the metadata table", async () => {
  const { tables } = await server.must<{ tables: { id: string; fields: { tableRef: number } }[] }>(
    "GET",
    `${doc}/tables`,
  );
  const id = tables.find((table) => table.id === "Tea")?.fields.tableRef;
  const reply = await server.call("owner", "PATCH", `${doc}/tables/_grist_Tables/records?return=records`, {
    records: [{ id, fields: { tableId: "Leaf" } }],
  });
  expect(reply.body).toMatchObject({ records: [{ id, fields: { tableId: "Leaf" } }] });
});

test("records that are too large for an answer are refused, and nothing is changed", async () => {
  const Name = "x".repeat(900_000);
  const rows = Array.from({ length: 14 }, () => ({ fields: { Name } }));
  for (let i = 0; i < 2; i++) await server.must("POST", `${doc}/tables/Tea/records`, { records: rows });
  const change = { records: [{ require: {}, fields: { Friend: 7 } }] };
  const query = "allow_empty_require=1&onmany=all&return=records";
  const before = await server.must("GET", `${doc}/tables/Tea/data?sort=id&limit=2`);
  const reply = await server.call("owner", "PUT", `${doc}/tables/Tea/records?${query}`, change);
  expect([reply.status, reply.body.details.code]).toEqual([413, "limit.size"]);
  expect(await server.must("GET", `${doc}/tables/Tea/data?sort=id&limit=2`)).toEqual(before);
  // The document works on: formulas and positions are those of before.
  const added = await server.must("POST", `${doc}/tables/Tea/records?return=records`, ADD);
  expect(added).toEqual({ records: [record(31, "Oolong", 1), record(32, "", 0)] });
});

describe("under access rules", () => {
  const hides = (formula: string, permissions: string) => [{ formula, permissions }];
  const EDITOR = "user.Access == EDITOR";
  const cases: [name: string, rules: Parameters<typeof setRules>[2], as: Caller, answer: unknown][] = [
    [
      "a column",
      { "Tea:Length": hides(EDITOR, "-R") },
      "editor",
      {
        records: [
          { id: 3, fields: { Name: "Oolong", Friend: 1 } },
          { id: 4, fields: { Name: "", Friend: 0 } },
        ],
      },
    ],
    [
      "a row",
      { "Tea:*": hides(`${EDITOR} and rec.Name == ""`, "-R") },
      "editor",
      { records: [record(3, "Oolong", 1)] },
    ],
    [
      "a cell",
      { "Tea:Friend": hides(`${EDITOR} and rec.Name == ""`, "-R") },
      "editor",
      { records: [record(3, "Oolong", 1), { id: 4, fields: { Name: "", Friend: ["C"], Length: 0 } }] },
    ],
    ["the table", { "Tea:*": hides(EDITOR, "-R") }, "editor", { records: [] }],
    [
      "the table from others",
      { "Tea:*": hides(EDITOR, "-R") },
      "owner",
      { records: [record(3, "Oolong", 1), record(4, "", 0)] },
    ],
  ];
  test.each(cases)("%s that is hidden is not in the answer", async (_, rules, as, answer) => {
    await setRules(server, doc, rules);
    const reply = await server.call(as, "POST", `${doc}/tables/Tea/records?return=records`, ADD);
    expect([reply.status, reply.body]).toEqual([200, answer]);
  });
});
