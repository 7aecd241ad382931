/** Methods and messages of the protocol that the server does not have, as clients without the official library send them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { connectTo, PROTOCOLS, type Protocol } from "./mcp-site.ts";

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Sent {
  readonly protocol: Protocol;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function send({ protocol, body, headers = {} }: Sent): Promise<Response> {
  const all = {
    Host: "quern.test",
    Authorization: `Bearer ${server.keys.owner}`,
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": protocol,
    ...headers,
  };
  return server.app.handle(new Request("http://quern.test/mcp", { method: "POST", headers: all, body }));
}

const call = (protocol: Protocol, method: string, params: Readonly<Record<string, unknown>>): Promise<Response> => {
  const named = params["uri"] ?? params["name"] ?? params["taskId"];
  const all = protocol === "2026-07-28" ? { ...params, _meta: ENVELOPE } : params;
  const headers = { "Mcp-Method": method, ...(typeof named === "string" && { "Mcp-Name": named }) };
  return send({ protocol, body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: all }), headers });
};

/** Method → parameters that would be valid. */
const NOT_OFFERED: readonly (readonly [method: string, params: Readonly<Record<string, unknown>>])[] = [
  ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
  ["resources/subscribe", { uri: "quern://stock" }],
  ["resources/unsubscribe", { uri: "quern://stock" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "quern://stock" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "stock" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "stock" }, argument: { name: "a", value: "b" } }],
  ["logging/setLevel", { level: "debug" }],
  ["sampling/createMessage", { messages: [], maxTokens: 1 }],
  ["elicitation/create", { message: "Who are you?", requestedSchema: { type: "object", properties: {} } }],
  ["roots/list", {}],
  ["tasks/list", {}],
  ["tasks/get", { taskId: "1" }],
  ["no/such", {}],
];

describe.each(PROTOCOLS)("by %s", (protocol) => {
  test.each(NOT_OFFERED)("%s is not found", async (method, params) => {
    const response = await call(protocol, method, params);
    // The older version has errors of methods in responses with status 200.
    expect(response.status).toBe(protocol === "2026-07-28" ? 404 : 200);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32_601, message: "Method not found" },
    });
  });

  test("the server announces tools, without notifications, and nothing else", async () => {
    const client = await connectTo(server, { protocol, key: server.keys.owner });
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
    await client.close();
  });
});

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

/** Body → status, and the code of the error: of the protocol, or of the API before the message is read. */
const MESSAGES: readonly (readonly [name: string, body: string, status: number, code: number | string | null])[] = [
  ["no body", "", 400, -32_600],
  ["null", "null", 400, "body.invalid_json"],
  ["a text", '"tools/list"', 400, "body.invalid_json"],
  ["half a message", '{"jsonrpc": "2.0", ', 400, "body.invalid_json"],
  ["an empty object", "{}", 400, -32_600],
  ["an empty batch", "[]", 400, "request.invalid"],
  ["a batch of one", JSON.stringify([LIST]), 400, "request.invalid"],
  ["another version of JSON-RPC", JSON.stringify({ ...LIST, jsonrpc: "1.0" }), 400, -32_600],
  ["no method", JSON.stringify({ jsonrpc: "2.0", id: 1 }), 400, -32_600],
  ["an object as id", JSON.stringify({ ...LIST, id: {} }), 400, -32_600],
  ["parameters as a list", JSON.stringify({ ...LIST, params: [1] }), 400, -32_600],
  ["deeply nested brackets", "[".repeat(50_000), 400, "body.invalid_json"],
  ["deeply nested objects", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`, 400, -32_600],
  ["a call without a name", JSON.stringify({ ...LIST, method: "tools/call" }), 200, -32_602],
  [
    "a call with a list of arguments",
    JSON.stringify({ ...LIST, method: "tools/call", params: { name: "find_documents", arguments: [] } }),
    200,
    -32_602,
  ],
  ["a notification", JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }), 202, null],
  [
    "the answer to a question that the server never asked",
    JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }),
    202,
    null,
  ],
];

test.each(MESSAGES)("%s", async (_, body, status, code) => {
  const response = await send({ protocol: "2025-11-25", body });
  const text = await response.text();
  const { error, details } = (text === "" ? {} : JSON.parse(text)) as {
    error?: { code: number } | string;
    details?: { code: string };
  };
  const found = typeof error === "object" ? error.code : (details?.code ?? null);
  expect({ status: response.status, code: found }).toEqual({ status, code });
});

test.each<[string, Record<string, string>, number]>([
  ["an unknown protocol version", { "MCP-Protocol-Version": "1999-01-01" }, 400],
  ["an older protocol version", { "MCP-Protocol-Version": "2025-06-18" }, 200],
  ["a client that does not accept event streams", { Accept: "application/json" }, 406],
])("%s", async (_, headers, status) => {
  const response = await send({ protocol: "2025-11-25", body: JSON.stringify(LIST), headers });
  expect(response.status).toBe(status);
});
