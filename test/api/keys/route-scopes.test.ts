/** Every route against keys with each of the scopes; the expectations are from the table of routes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expandScopes, SCOPE_NAMES, type Scope } from "../../../src/authorization.ts";
import { ROUTE_SCOPES, routeScopeOf } from "../../../src/http/keys/route-scopes.ts";
import { routes } from "../../../src/http/routes.ts";
import { limitedKey } from "../../helpers/limited-keys.ts";
import { sampleDocument, testApp, type Sample, type TestApp } from "../../helpers/app.ts";

let server: TestApp;
let sample: Sample;
const keys = new Map<Scope, string>();

beforeAll(async () => {
  server = await testApp({ flags: { scim: "on" } });
  sample = await sampleDocument(server);
  for (const scope of SCOPE_NAMES) keys.set(scope, limitedKey(server, "owner", { scopes: [scope] }));
});
afterAll(() => server[Symbol.asyncDispose]());

test("every route has its scopes in the table, and every row has a route", () => {
  expect([...ROUTE_SCOPES.keys()].toSorted()).toEqual(routes.map(({ spec }) => spec.id).toSorted());
});

test("a scope includes all that the scopes within it include", () => {
  for (const scope of SCOPE_NAMES) {
    const expanded = expandScopes([scope]);
    expect([scope, [...expandScopes([...expanded])].toSorted()]).toEqual([scope, [...expanded].toSorted()]);
  }
});

const MISSING: Readonly<Record<string, string>> = {
  docId: "00000000-0000-4000-8000-000000000000",
  workspaceId: "987654321",
  org: "nosuchsite",
  userId: "987654321",
  accountId: "987654321",
  keyId: "987654321",
};

/** Returns the path of a route for data that exists, or for data that does not. */
function addressOf(path: string, exists: boolean): string {
  const existing = { docId: sample.doc, workspaceId: String(sample.workspaceId), org: "team" };
  const values: Readonly<Record<string, string>> = exists ? { ...MISSING, ...existing, tableId: "Table1" } : MISSING;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "1");
}

describe("a key with one scope", () => {
  test.each(routes.map(({ spec }) => [`${spec.method} ${spec.path}`, spec] as const))("%s", async (_, spec) => {
    const required = routeScopeOf(spec.id).scopes;
    for (const scope of SCOPE_NAMES) {
      const missing = required.find((each) => !expandScopes([scope]).has(each));
      // Only requests that are refused may name data that exists: the others would change it.
      for (const exists of missing ? [true, false] : [false]) {
        const { status, body } = await server.call(
          "owner",
          spec.method.toUpperCase(),
          addressOf(spec.path, exists),
          undefined,
          {
            headers: { Authorization: `Bearer ${keys.get(scope)}` },
            ...(spec.method !== "get" && { raw: "{ no JSON" }),
          },
        );
        const found = [spec.id, scope, body.details?.code, body.details?.missingScope];
        if (missing) expect([status, ...found]).toEqual([403, spec.id, scope, "scope.missing", missing]);
        else expect(found).not.toEqual([spec.id, scope, "scope.missing", expect.anything()]);
      }
    }
  });
});

describe("records of metadata tables", () => {
  const path = (table: string) => `/api/docs/${sample.doc}/tables/${table}/records`;
  test.each([
    ["GET", "_grist_Tables", "records:read", "schema:read"],
    ["GET", "_grist_ACLRules", "records:read", "access:read"],
    ["PATCH", "_grist_Tables_column", "records:write", "schema:write"],
    ["POST", "_grist_ACLResources", "records:write", "access:manage"],
    ["GET", "_Grist_ACLRules", "records:read", "access:read"],
  ] as const)("%s %s needs more than %s", async (method, table, scope, missing) => {
    const { status, body } = await server.call("owner", method, path(table), method === "GET" ? undefined : {}, {
      headers: { Authorization: `Bearer ${keys.get(scope)}` },
    });
    expect([status, body.details]).toEqual([403, { code: "scope.missing", missingScope: missing }]);
  });

  test("are refused to a batch without the scope, and nothing is changed", async () => {
    const send = (table: string) =>
      server.call(
        "owner",
        "POST",
        `/api/docs/${sample.doc}/batch`,
        {
          operations: [
            { op: "add", table: "Table1", records: [{}] },
            { op: "delete", table, ids: [1] },
          ],
        },
        { headers: { Authorization: `Bearer ${keys.get("records:write")}` } },
      );
    const before = await server.must("GET", path("Table1"));
    for (const [table, missingScope] of [
      ["_grist_Tables_column", "schema:write"],
      ["_grist_ACLRules", "access:manage"],
    ] as const) {
      const { status, body } = await send(table);
      expect([status, body.details]).toEqual([403, { code: "scope.missing", missingScope, operation: 1 }]);
    }
    expect(await server.must("GET", path("Table1"))).toEqual(before);
  });

  test("past states need the scope of the history", async () => {
    const { status, body } = await server.call("owner", "GET", `${path("Table1")}?at=1`, undefined, {
      headers: { Authorization: `Bearer ${keys.get("records:read")}` },
    });
    expect([status, body.details]).toEqual([403, { code: "scope.missing", missingScope: "history:read" }]);
  });
});
