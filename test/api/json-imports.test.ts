import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createDocumentFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
beforeAll(async () => {
  server = await testApp();
  place = await createDocumentFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const ORDERS = [
  { no: "A", day: "2024-02-29", tags: ["new", "paid"], to: { city: "Bern" }, lines: [{ qty: 1 }, { qty: 2 }] },
  { no: "B", day: "2024-03-01", tags: ["paid"], to: null, lines: [{ qty: 3 }] },
];

function form(fields: Record<string, string> = {}, content: unknown = ORDERS): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append("upload", new File([JSON.stringify(content)], "orders.json"));
  return data;
}

const post = (path: string, raw: FormData) => server.call("owner", "POST", path, undefined, { raw });

interface Column {
  readonly id: string;
  readonly fields: { readonly label: string; readonly type: string; readonly widgetOptions: string };
}

/** Returns the types and cells of each table of a document, by label. */
async function contents(doc: string): Promise<Record<string, Record<string, unknown[]>>> {
  const { tables } = await server.must<{ tables: { id: string }[] }>("GET", `/o/docs/api/docs/${doc}/tables`);
  const found: Record<string, Record<string, unknown[]>> = {};
  for (const { id } of tables) {
    const path = `/o/docs/api/docs/${doc}/tables/${id}`;
    const { columns } = await server.must<{ columns: Column[] }>("GET", `${path}/columns`);
    const data = await server.must<Record<string, unknown[]>>("GET", `${path}/data`);
    found[id] = Object.fromEntries(
      columns.map(({ id: column, fields }) => [`${fields.label}: ${fields.type}`, data[column] ?? []]),
    );
  }
  return found;
}

const FOUND = {
  Orders: {
    "no: Text": ["A", "B"],
    "day: Date": [Date.UTC(2024, 1, 29) / 1000, Date.UTC(2024, 2, 1) / 1000],
    "tags: ChoiceList": [
      ["L", "new", "paid"],
      ["L", "paid"],
    ],
    "to: Ref:Orders_to": [1, 0],
  },
  Orders_to: { "city: Text": ["Bern"] },
  Orders_lines: { "qty: Numeric": [1, 2, 3], "orders: Ref:Orders": [1, 1, 2] },
};

describe("nested JSON", () => {
  test("becomes tables that refer to each other in a new document", async () => {
    const { status, body } = await post(`${place.shelf}/import`, form());
    expect(status).toBe(200);
    expect(await contents(body.id)).toEqual(FOUND);
    const { columns } = await server.must<{ columns: Column[] }>(
      "GET",
      `/o/docs/api/docs/${body.id}/tables/Orders/columns`,
    );
    expect(JSON.parse(columns[2]?.fields.widgetOptions ?? "")).toEqual({ choices: ["new", "paid"] });
  });

  test("becomes tables that refer to each other in an existing document, even if they are renamed", async () => {
    const { body: doc } = await server.call("owner", "POST", `${place.shelf}/docs`, { name: "Existing" });
    await server.call("owner", "POST", `/o/docs/api/docs/${doc}/apply`, [["AddTable", "Orders", [{ id: "A" }]]]);
    expect((await post(`/o/docs/api/docs/${doc}/import`, form())).status).toBe(200);
    const found = await contents(doc);
    expect(found["Orders2"]).toMatchObject({ "to: Ref:Orders_to": [1, 0] });
    expect(found["Orders_lines"]).toEqual({ "qty: Numeric": [1, 2, 3], "orders: Ref:Orders2": [1, 1, 2] });
  });

  test("loses references to tables that are not imported", async () => {
    const { body } = await post(`${place.shelf}/import`, form({ sheet: "orders_lines" }));
    expect(await contents(body.id)).toEqual({ Orders_lines: { "qty: Numeric": [1, 2, 3] } });
  });

  test("keeps rows that contain only lists, so that these stay separate", async () => {
    const { status, body } = await post(`${place.shelf}/import`, form({}, [{ n: [1, 2] }, { n: [3] }]));
    expect(status).toBe(200);
    expect(await contents(body.id)).toEqual({
      Orders: {},
      Orders_n: { "A: Numeric": [1, 2, 3], "orders: Ref:Orders": [1, 1, 2] },
    });
    const { body: data } = await server.call("owner", "GET", `/o/docs/api/docs/${body.id}/tables/Orders/data`);
    expect(data).toMatchObject({ id: [1, 2] });
  });

  test("is previewed with the same tables and columns", async () => {
    const { status, body } = await post(`${place.shelf}/import?dryRun=1`, form());
    expect(status).toBe(200);
    const tables = body.tables as { id: string; columns: { label: string; type: string }[] }[];
    const found = tables.map(({ id, columns }) => [id, columns.map(({ label, type }) => `${label}: ${type}`)]);
    expect(found).toEqual(Object.entries(FOUND).map(([id, columns]) => [id, Object.keys(columns)]));
  });
});

test("refuses JSON without content", async () => {
  const { status, body } = await post(`${place.shelf}/import`, form({}, {}));
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: expect.stringMatching(/^Nothing to import/), details: { code: "file.invalid" } });
});
