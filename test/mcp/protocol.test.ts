import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import { TOOLS } from "../../src/mcp/tools.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { callTool, connectTo, createMcpSite, PROTOCOLS } from "./mcp-site.ts";

let server: TestApp;

beforeAll(async () => {
  server = await testApp();
  await createMcpSite(server);
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(PROTOCOLS)("a client of protocol version %s", (protocol) => {
  let client: Client;
  beforeAll(async () => {
    client = await connectTo(server, { protocol, key: server.keys.owner });
  });
  afterAll(() => client.close());

  test("connects with its version", () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(protocol);
    expect(client.getServerVersion()?.name).toBe("quern");
    expect(client.getInstructions()).toContain("find_documents");
  });

  test("lists at most 15 tools in at most 20 KB, each with schemas and annotations", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(tools.length).toBeLessThanOrEqual(15);
    expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(20_000);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: expect.any(Boolean), openWorldHint: false },
      });
    }
  });

  test("gets an error for an unknown tool", async () => {
    const failure = await client.callTool({ name: "find_document", arguments: {} }).catch(String);
    expect(failure).toContain("Unknown tool");
  });

  // The client checks each result against the output schema.
  test.each(TOOLS.map(({ name, example }) => [name, example]))(
    "the example of %s returns the same as data and as text",
    async (name, example) => {
      await client.listTools();
      const { isError, result, text } = await callTool(client, name, example as Record<string, unknown>);
      expect({ isError, result }).toEqual({ isError: false, result: JSON.parse(text) });
    },
  );
});
