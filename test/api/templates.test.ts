import { afterAll, beforeAll, expect, test } from "bun:test";
import { TEMPLATE_NAMES } from "../../src/wire/documents/documents.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture, type DocumentFixture, runSteps } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let docs: string;
const pathOf = (doc: string): string => place.doc.replace(/[^/]+$/, doc);
beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  docs = `${place.shelf}/docs`;
});
afterAll(() => server[Symbol.asyncDispose]());

test.each(TEMPLATE_NAMES)("a document is created from the template %s", async (template) => {
  const doc = await server.must<string>("POST", docs, { name: "Mine", template });
  expect(await server.must("GET", pathOf(doc))).toMatchObject({ name: "Mine", access: "owners", type: null });
  const { tables } = await server.must<{ tables: { id: string }[] }>("GET", `${pathOf(doc)}/tables`);
  expect(tables).toHaveLength(3);
  for (const { id } of tables) {
    const { records } = await server.must<{ records: { fields: object; errors?: object }[] }>(
      "GET",
      `${pathOf(doc)}/tables/${id}/records`,
    );
    expect(records.length).toBeGreaterThan(2);
    expect(records.filter(({ errors }) => errors)).toEqual([]);
  }
});

test("rows that are added to an order book get their number, date and price", async () => {
  const doc = await server.must<string>("POST", docs, { template: "order-book" });
  const path = `${pathOf(doc)}/tables/Orders/records`;
  const fields = { Customer: 1, Product: 2, Quantity: 2, Status: "New" };
  const { records } = await server.must<{ records: { id: number }[] }>("POST", path, { records: [{ fields }] });
  const added = await server.must<{ records: unknown[] }>("GET", `${path}?filter={"id":[${records[0]?.id}]}`);
  expect(added.records).toMatchObject([
    { fields: { ...fields, Order_no: expect.stringMatching(/^20\d\d-0013$/), Price: 1249, Total: 2498 } },
  ]);
});

test("unknown templates and callers without access are refused, and leave nothing behind", async () => {
  const before = await server.must<{ docs: unknown[] }>("GET", place.shelf);
  await runSteps(server, [
    ["owner", "POST", docs, { template: "nothing" }, 400],
    ["owner", "POST", docs, { template: "" }, 400],
    ["viewer", "POST", docs, { template: "tasks" }, 403],
    ["stranger", "POST", docs, { template: "tasks" }, 403],
    ["anon", "POST", docs, { template: "tasks" }, 403],
  ]);
  const { body } = await server.call("owner", "POST", docs, { template: "nothing" });
  expect(body).toMatchObject({
    details: { userError: expect.stringContaining("body.template: must be order-book or tasks") },
  });
  expect((await server.must<{ docs: unknown[] }>("GET", place.shelf)).docs).toHaveLength(before.docs.length);
});
