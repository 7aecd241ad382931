/** Unpaired surrogates, which JSON can contain and UTF-8 cannot: names refuse them, cells replace them by U+FFFD. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sampleDocument, testApp, type Reply, type Sample, type TestApp } from "../helpers/app.ts";

let server: TestApp;
let sample: Sample;
beforeAll(async () => {
  server = await testApp();
  sample = await sampleDocument(server);
  await server.must("POST", `/api/docs/${sample.doc}/apply`, [["ModifyColumn", "Table1", "A", { type: "Text" }]]);
});
afterAll(() => server[Symbol.asyncDispose]());

const send = (method: string, path: string, raw: string): Promise<Reply> =>
  server.call("owner", method, path.replace("{doc}", `/api/docs/${sample.doc}`), undefined, { raw });

describe("names and labels with unpaired surrogates are refused", () => {
  const cases: [method: string, path: string, raw: string][] = [
    ["POST", "{doc}/tables", '{"tables":[{"id":"X","columns":[{"id":"Q","fields":{"label":"a\\udc00b"}}]}]}'],
    ["POST", "{doc}/tables", '{"tables":[{"id":"X\\ud800","columns":[{"id":"Q"}]}]}'],
    ["POST", "{doc}/tables/Table1/columns", '{"columns":[{"id":"Q","fields":{"label":"a\\udc00b"}}]}'],
    ["PATCH", "{doc}/tables/Table1/columns", '{"columns":[{"id":"A","fields":{"label":"a\\ud800"}}]}'],
    ["POST", "{doc}/apply", '[["AddTable","Y\\ud800",[{"id":"A"}]]]'],
    ["POST", "{doc}/apply", '[["AddColumn","Table1","N",{"label":"\\ud800b"}]]'],
    ["POST", "{doc}/apply", '[["AddColumn","Table1","N",{"formula":"\'\\ud800\'","isFormula":true}]]'],
    ["POST", "{doc}/apply", '[["UpdateRecord","_grist_Tables_column",2,{"label":"a\\udc00b"}]]'],
    ["POST", "{doc}/apply", '[["UpdateRecord","_grist_Views",1,{"name":"a\\udc00b"}]]'],
    ["PATCH", "{doc}", '{"name":"a\\udc00b"}'],
    ["POST", "/api/orgs/team/workspaces", '{"name":"a\\udc00b"}'],
    ["POST", "/api/profile/keys", '{"label":"a\\udc00b"}'],
  ];
  test.each(cases)("%s %s %s", async (method, path, raw) => {
    const before = await server.must("GET", `/api/docs/${sample.doc}/tables?expand=column`);
    const reply = await send(method, path, raw);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).toContain("unpaired surrogates");
    expect(await server.must("GET", `/api/docs/${sample.doc}/tables?expand=column`)).toEqual(before as object);
  });
});

test("upserts and filters find the cells with replaced surrogates", async () => {
  const records = "{doc}/tables/Table1/records";
  const upsert = (count: number) =>
    send("PUT", records, `{"records":[{"require":{"A":"x\\ud800"},"fields":{"B":${count}}}]}`);
  expect((await upsert(1)).body.addRecordIds).toEqual([1]);
  expect((await upsert(2)).body).toMatchObject({ addRecordIds: [], updateRecordIds: [[1]] });
  const found = [{ id: 1, fields: { A: "x\ufffd", B: 2, C: null } }];
  for (const text of ["x\\ud800", "x\\udbff", "x\\ufffd"]) {
    const filter = encodeURIComponent(`{"A":["${text}"]}`);
    const path = `/api/docs/${sample.doc}/tables/Table1/records`;
    expect((await server.call("owner", "GET", `${path}?filter=${filter}`)).body).toEqual({ records: found });
    expect((await send("POST", `${records}/list`, `{"filter":{"A":["${text}"]}}`)).body).toMatchObject({
      records: found,
    });
  }
  const listed = await send(
    "POST",
    records,
    '{"records":[{"fields":{"A":["L","\\ud800",{"\\udc00":"\\ud83d\\ude00"}]}}]}',
  );
  expect(listed.status).toBe(200);
  const { body } = await server.call("owner", "GET", `/api/docs/${sample.doc}/tables/Table1/records`);
  expect(body.records[1].fields.A).toBe("['\ufffd', {'\ufffd': '😀'}]");
});
