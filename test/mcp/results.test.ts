import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import { MAX_CELL_CHARACTERS, MAX_RESULT_CHARACTERS } from "../../src/mcp/results.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { callTool, connectTo, createMcpSite, type McpSite } from "./mcp-site.ts";

const ROWS = 150;

let server: TestApp;
let site: McpSite;
let client: Client;

beforeAll(async () => {
  server = await testApp();
  site = await createMcpSite(server);
  client = await connectTo(server, { protocol: "2025-11-25", key: server.keys.owner });
  const columns = [{ id: "Text", fields: { type: "Text" } }];
  await server.must("POST", `/api/docs/${site.stock}/tables`, { tables: [{ id: "Long", columns }] });
  const records = Array.from({ length: ROWS }, (_, i) => ({ fields: { Text: `${i} ${"x".repeat(1000)}` } }));
  await server.must("POST", `/api/docs/${site.stock}/tables/Long/records`, { records });
});
afterAll(async () => {
  await client.close();
  await server[Symbol.asyncDispose]();
});

const inLong = (args: Record<string, unknown>) => ({ document: site.stock, table: "Long", ...args });

describe("results are short", () => {
  test("and the pages of query_records have each record once", async () => {
    const found: number[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { result, text } = await callTool(
        client,
        "query_records",
        inLong({ limit: 500, ...(cursor && { cursor }) }),
      );
      expect(text.length).toBeLessThan(MAX_RESULT_CHARACTERS + 1000);
      found.push(...result.records.map(({ id }: { id: number }) => id));
      cursor = result.next;
      pages++;
    } while (cursor);
    expect(found).toEqual(Array.from({ length: ROWS }, (_, i) => i + 1));
    expect(pages).toBeGreaterThan(3);
  });

  const CUT: readonly (readonly [tool: string, args: () => Record<string, unknown>, list: string])[] = [
    ["query_sql", () => ({ document: site.stock, sql: "select Text from Long" }), "rows"],
    ["aggregate_records", () => inLong({ groupBy: ["Text"], limit: 1000 }), "groups"],
  ];
  test.each(CUT)("and %s says that it left something out", async (tool, args, list) => {
    const { result, text } = await callTool(client, tool, args());
    expect(text.length).toBeLessThan(MAX_RESULT_CHARACTERS + 1000);
    expect(result[list].length).toBeLessThan(ROWS);
    expect(result.more).toEqual(expect.any(String));
  });

  test("and long cells are cut", async () => {
    const long = "y".repeat(100_000);
    const { result: added } = await callTool(client, "add_records", inLong({ records: [{ Text: long }] }));
    const { result } = await callTool(client, "query_records", inLong({ filter: { id: added.ids } }));
    const [{ fields }] = result.records;
    expect(fields.Text.length).toBeLessThan(MAX_CELL_CHARACTERS + 100);
    expect(fields.Text).toContain("100000 characters");
  });
});
