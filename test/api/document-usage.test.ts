/** The size of a document, by what uses it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DocumentUsage } from "../../src/wire/documents/usage.ts";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";

let server: TestApp;
let doc: string;

beforeAll(async () => {
  server = await testApp();
  ({ doc } = await sampleDocument(server));
});
afterAll(() => server[Symbol.asyncDispose]());

const usage = () => server.must<DocumentUsage>("GET", `/api/docs/${doc}/usage`);

test("is the sum of its parts, with the largest table first", async () => {
  const at = `/api/docs/${doc}`;
  await server.must("POST", `${at}/tables`, {
    tables: [{ id: "Large", columns: [{ id: "Text", fields: { type: "Text" } }] }],
  });
  const before = await usage();
  const Text = Array.from({ length: 500 }, (_, n) => `${n} ${"long ".repeat(50)}`);
  await server.must("POST", `${at}/tables/Large/data`, { Text });
  const found = await usage();
  const { tables, indexes, history, attachments, other, free } = found;
  expect(tables[0]).toMatchObject({ table: "Large", rows: 500 });
  expect(tables[0]?.bytes).toBeGreaterThan(100_000);
  expect(tables.map(({ table }) => table)).toContain("Table1");
  expect(history.states).toBe(before.history.states + 1);
  expect(history.bytes).toBeGreaterThan(before.history.bytes);
  expect(attachments).toMatchObject({ count: 0, totalBytes: 0 });
  const sum = [...tables, indexes, history, attachments, other, free].reduce((total, { bytes }) => total + bytes, 0);
  expect(sum).toBe(found.bytes);
});

test("is for owners", async () => {
  for (const who of ["editor", "viewer"] as const) {
    expect((await server.call(who, "GET", `/api/docs/${doc}/usage`)).status).toBe(403);
  }
});
