/** Imports of some tables and columns of a file. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const SHOP = JSON.stringify({
  orders: [{ number: 1, customer: { name: "Ann" }, note: "x" }],
  goods: [{ name: "Bell", note: "y" }],
  staff: [{ name: "Bo" }],
});

function form(name: string, text: string, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  data.append("upload", new File([text], name));
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  return data;
}

interface Report {
  uploadId: number;
  tables: { name: string; rows: number; columns: { id: string; label: string; source?: string; type: string }[] }[];
}

const preview = (name: string, text: string, fields: Record<string, string> = {}) =>
  server.call("owner", "POST", `${place.doc}/import?dryRun=1`, undefined, { raw: form(name, text, fields) });

const tables = ({ tables: found }: Report) =>
  found.map(({ name, columns }) => [name, ...columns.map(({ label }) => label)]);

describe("an import of a part of a file", () => {
  test("has the chosen tables, without references to the others", async () => {
    const { body } = await preview("shop.json", SHOP, { sheets: '["orders","goods"]' });
    expect(tables(body as Report)).toEqual([
      ["orders", "number", "note"],
      ["goods", "name", "note"],
    ]);
    const { status, body: made } = await server.call("owner", "POST", `${place.shelf}/import?report=1`, {
      uploadId: (body as Report).uploadId,
      sheets: ["staff"],
    });
    expect([status, tables(made as Report)]).toEqual([200, [["staff", "name"]]]);
  });

  test("lacks the columns that it leaves out", async () => {
    const { body } = await preview("shop.json", SHOP, { leaveOut: '["note","nothing"]', sheets: '["goods","staff"]' });
    expect(tables(body as Report)).toEqual([
      ["goods", "name"],
      ["staff", "name"],
    ]);
  });

  test("names columns without a label of their own by letters", async () => {
    const text = "Name;;Name\nAnn;1;2\nBo;3;4\n";
    const { body } = await preview("names.csv", text, { header: "1", types: '{"C":"Text","B":"Text"}' });
    expect((body as Report).tables[0]?.columns.map(({ label, source, type }) => [label, source, type])).toEqual([
      ["Name", "A", "Text"],
      ["A", "B", "Text"],
      ["Name", "C", "Text"],
    ]);
    const { body: rest } = await preview("names.csv", text, { header: "1", leaveOut: '["C"]' });
    expect(tables(rest as Report)).toEqual([["names", "Name", "A"]]);
  });

  test.each([
    [{ sheets: '["orders","gone"]' }, 404, 'The file has no table "gone"'],
    [{ sheets: "[]" }, 400, "Invalid payload"],
    [{ leaveOut: "{" }, 400, "leaveOut must be a JSON list"],
  ] as const)("refuses %p", async (fields, status, error) => {
    const reply = await preview("shop.json", SHOP, fields);
    expect([reply.status, (reply.body as { error: string }).error]).toEqual([status, expect.stringContaining(error)]);
  });
});
