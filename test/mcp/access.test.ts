import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { insertKey } from "../../src/services/accounts/keys.ts";
import { testApp, type TestApp, USERS } from "../helpers/app.ts";
import { serializeSessionCookie } from "../../src/lib/network/session-cookie.ts";
import { startSession } from "../../src/services/accounts/sign-in.ts";
import { limitedKey } from "../helpers/limited-keys.ts";
import { BROWSER } from "../helpers/users.ts";
import { callTool, connectTo, createMcpSite, type McpSite, PROTOCOLS } from "./mcp-site.ts";

const PUBLIC_URL = "https://quern.example.com";
const MAX_BODY = 100_000;

let server: TestApp;
let site: McpSite;

beforeAll(async () => {
  server = await testApp({
    flags: { "public-url": PUBLIC_URL, "cors-origins": "https://listed.example.com", "max-body": String(MAX_BODY) },
  });
  site = await createMcpSite(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends a request of protocol version 2025-11-25. */
function send({ method = "POST", headers = {}, body = JSON.stringify(LIST) }: Sent): Promise<Response> {
  const all = {
    Host: "quern.test",
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2025-11-25",
    ...headers,
  };
  return server.app.handle(
    new Request("http://quern.test/mcp", { method, headers: all, ...(method === "POST" && { body }) }),
  );
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const withKey = (headers: Record<string, string> = {}) => ({ ...bearer(server.keys.owner), ...headers });

function insertOwnerKey(label: string, expiresAt: number | null): string {
  const { userId } = actorForCommand(server.app.ctx, USERS.owner.email);
  return server.app.ctx.home.transaction(() => insertKey(server.app.ctx, userId, { label, expiresAt }));
}

async function revokedKey(): Promise<string> {
  const { id, key } = await server.must<{ id: number; key: string }>("POST", "/api/profile/keys", { label: "revoked" });
  expect((await send({ headers: bearer(key) })).status).toBe(200);
  await server.must("DELETE", `/api/profile/keys/${id}`);
  return key;
}

function sessionCookie(): string {
  const { ctx } = server.app;
  const { userId } = actorForCommand(ctx, USERS.owner.email);
  const { token } = ctx.home.transaction(() => startSession(ctx, userId, BROWSER));
  return serializeSessionCookie(token, { maxAgeS: 60, secure: false }).split(";")[0] ?? "";
}

async function endUserToken(): Promise<string> {
  const body = { email: "end@example.com", role: "viewers", expiresIn: 600 };
  return (await server.must<{ token: string }>("POST", `/api/docs/${site.stock}/tokens`, body)).token;
}

/** Request → status, and the code of the error. */
const REQUESTS: readonly (readonly [name: string, () => Sent | Promise<Sent>, number, string?])[] = [
  ["an API key", () => ({ headers: withKey() }), 200],
  ["no key", () => ({}), 401, "auth.required"],
  ["a wrong key", () => ({ headers: bearer("0".repeat(40)) }), 401, "auth.key_invalid"],
  ["another scheme", () => ({ headers: { Authorization: "Basic eDp5" } }), 401, "auth.header"],
  ["an expired key", () => ({ headers: bearer(insertOwnerKey("expired", 1)) }), 401, "auth.key_expired"],
  ["a revoked key", async () => ({ headers: bearer(await revokedKey()) }), 401, "auth.key_invalid"],
  [
    "a key for another network",
    () => ({ headers: bearer(limitedKey(server, "owner", { networks: ["192.0.2.0/24"] })) }),
    403,
    "key.network",
  ],
  ["a token for an end user", async () => ({ headers: bearer(await endUserToken()) }), 401, "auth.token_document"],
  ["a session without a key", () => ({ headers: { Cookie: sessionCookie() } }), 401, "auth.required"],
  ["no origin", () => ({ headers: withKey() }), 200],
  ["a foreign origin", () => ({ headers: withKey({ Origin: "https://evil.example.net" }) }), 403],
  ["an origin with the host of the request", () => ({ headers: withKey({ Origin: "http://quern.test" }) }), 403],
  ["an opaque origin", () => ({ headers: withKey({ Origin: "null" }) }), 403],
  [
    "a name that begins like an allowed one",
    () => ({ headers: withKey({ Origin: "http://localhost.evil.net" }) }),
    403,
  ],
  ["the origin of this machine", () => ({ headers: withKey({ Origin: "http://localhost:6274" }) }), 200],
  ["the public origin", () => ({ headers: withKey({ Origin: PUBLIC_URL }) }), 200],
  ["a listed origin", () => ({ headers: withKey({ Origin: "https://listed.example.com" }) }), 200],
  ["GET", () => ({ method: "GET", headers: withKey() }), 405],
  ["DELETE", () => ({ method: "DELETE", headers: withKey() }), 405],
  [
    "a body that is too large",
    () => ({ headers: withKey(), body: JSON.stringify({ ...LIST, params: { x: "x".repeat(MAX_BODY) } }) }),
    413,
    "limit.body_size",
  ],
  ["no JSON", () => ({ headers: withKey(), body: "{" }), 400, "body.invalid_json"],
  ["a batch", () => ({ headers: withKey(), body: JSON.stringify([LIST, LIST]) }), 400, "request.invalid"],
  ["another content type", () => ({ headers: withKey({ "Content-Type": "text/plain" }) }), 400, "body.content_type"],
];

test.each(REQUESTS.map((each) => [each[0], each] as const))("%s", async (_, [, request, status, code]) => {
  const response = await send(await request());
  const body = (await response.json()) as { details?: { code: string } };
  expect({ status: response.status, code: body.details?.code }).toEqual({ status, code });
  if (status === 405) expect(response.headers.get("allow")).toBe("POST");
  expect(response.headers.get("www-authenticate")).toBe(status === 401 ? challengeOf(code) : null);
});

/** Requests without a key, or with another scheme, have no error (RFC 6750). */
const challengeOf = (code: string | undefined): string =>
  code === "auth.required" || code === "auth.header"
    ? 'Bearer realm="quern"'
    : 'Bearer realm="quern", error="invalid_token"';

test.each([
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
])("%s does not exist, so that no client begins a sign-in by OAuth", async (path) => {
  const headers = { Host: "quern.test", Accept: "application/json" };
  const response = await server.app.handle(new Request(`http://quern.test${path}`, { headers }));
  expect(response.status).toBe(404);
});

test("a session is no way in, and creates none", async () => {
  const response = await send({ headers: withKey() });
  expect(response.headers.get("mcp-session-id")).toBeNull();
});

describe.each(PROTOCOLS)("a limited key, by %s", (protocol) => {
  /** Scopes → names of the tools that are listed. */
  const LISTS: readonly (readonly [scopes: readonly string[], tools: readonly string[]])[] = [
    [["documents:read"], ["find_documents"]],
    [["records:read"], ["find_documents", "search_rows", "query_records", "aggregate_records"]],
    [["schema:read"], ["find_documents", "describe_document"]],
    [
      ["records:write"],
      // oxfmt-ignore
      ["find_documents", "search_rows", "query_records", "aggregate_records", "add_records", "update_records",
        "upsert_records", "delete_records", "undo_my_changes"],
    ],
    [["scim"], []],
  ];
  test.each(LISTS)("with %j sees only tools that it can use", async (scopes, names) => {
    const key = limitedKey(server, "owner", { scopes: [...scopes] as never });
    await using client = await disposable(protocol, key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...names]);
  });

  test("receives the missing scope, and what to do", async () => {
    await using client = await disposable(protocol, limitedKey(server, "owner", { scopes: ["records:read"] }));
    const { isError, result } = await callTool(client, "query_sql", { document: "Stock", sql: "select 1" });
    expect({ isError, result }).toMatchObject({
      isError: true,
      result: { code: "scope.missing", details: { missingScope: "schema:read" }, next: expect.stringContaining("key") },
    });
  });

  test("does not reach other documents, by id or by name", async () => {
    const restrictions = { sites: [], workspaces: [], documents: [site.stock], tables: {} };
    await using client = await disposable(protocol, limitedKey(server, "owner", { restrictions }));
    const { result } = await callTool(client, "find_documents", {});
    expect(result.documents.map(({ name }: { name: string }) => name)).toEqual(["Stock"]);
    for (const document of ["Budget", site.budgets[0], "nowhere"]) {
      const refused = await callTool(client, "describe_document", { document });
      expect({ document, ...refused }).toMatchObject({ isError: true, result: { code: "document.not_found" } });
      expect(refused.result.details).toEqual({ candidates: [] });
    }
  });

  test("for tables reads them, and nothing else", async () => {
    const restrictions = { sites: [], workspaces: [], documents: [], tables: { [site.stock]: ["Customers"] } };
    await using client = await disposable(protocol, limitedKey(server, "owner", { restrictions }));
    const read = await callTool(client, "query_records", { document: site.stock, table: "Customers", sort: ["Name"] });
    expect(read.result.records).toMatchObject([{ fields: { Name: "Acme" } }, { fields: { Name: "Bolt" } }]);
    const refused = await callTool(client, "describe_document", { document: site.stock });
    expect(refused).toMatchObject({ isError: true, result: { code: "key.restricted", next: expect.any(String) } });
  });
});

async function disposable(protocol: (typeof PROTOCOLS)[number], key: string) {
  const client = await connectTo(server, { protocol, key });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
