/** Rules that apply to all routes, checked for each of them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { kindOf } from "../../src/errors/codes.ts";
import { STATUS_BY_KIND } from "../../src/http/error-responses.ts";
import { routes } from "../../src/http/routes.ts";
import type { Route } from "../../src/http/route.ts";
import { USERS, sampleDocument, testApp, type Caller, type Reply, type Sample, type TestApp } from "../helpers/app.ts";

let server: TestApp;
let sample: Sample;
/** The key of a link. */
let formKey: string;

beforeAll(async () => {
  server = await testApp({ flags: { scim: "on" } });
  sample = await sampleDocument(server);
  const share = ["AddRecord", "_grist_Shares", null, { linkId: "link", options: '{"publish":true}' }];
  await server.must("POST", `/api/docs/${sample.doc}/apply`, [share]);
  const keys = await server.must<{ key: string }[]>("GET", `/api/docs/${sample.doc}/shares`);
  formKey = keys[0]?.key ?? "";
});
afterAll(() => server[Symbol.asyncDispose]());

const SCIM_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
/** Malformed searches are refused before the right is checked. */
const SEARCH = { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"] };

const bodyFor = ({ spec }: Route): string =>
  spec.path.endsWith(".search") ? JSON.stringify(SEARCH) : '{"name":"x","delta":{"users":{}}}';

const MISSING: Record<string, string> = {
  docId: "00000000-0000-4000-8000-000000000000",
  workspaceId: "987654321",
  org: "nosuchsite",
};

/** Returns a route's path for the sample data; `replace` replaces parameters. */
function address({ spec }: Route, replace: Record<string, string> = {}): string {
  const values: Record<string, string> = {
    docId: sample.doc,
    workspaceId: String(sample.workspaceId),
    org: "team",
    tableId: "Table1",
    colId: "A",
    ...(spec.path.startsWith("/api/s/") && { key: formKey }),
    ...replace,
  };
  return spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "1");
}

const send = (as: Caller, route: Route, options: { replace?: Record<string, string>; raw?: string } = {}) =>
  server.call(as, route.spec.method.toUpperCase(), address(route, options.replace), undefined, {
    ...(options.raw !== undefined && { raw: options.raw }),
  });

const isScim = ({ headers }: Reply): boolean =>
  headers.get("content-type")?.startsWith("application/scim+json") === true;

/** Expects a message, and a registered code that matches the status; or the form of errors of SCIM. */
function expectRefusal(reply: Reply): void {
  if (isScim(reply)) {
    const { schemas, status, detail } = reply.body;
    expect({ schemas, status }).toEqual({ schemas: [SCIM_ERROR], status: String(reply.status) });
    expect(detail).toBeString();
    return expect(reply.body).not.toHaveProperty("error");
  }
  expect(reply.body.error).toBeString();
  expect(reply.body.error.length).toBeGreaterThan(0);
  const kind = kindOf(reply.body.details?.code);
  expect([reply.body.details?.code, kind && STATUS_BY_KIND[kind]]).toEqual([reply.body.details?.code, reply.status]);
}

const named = (select: (route: Route) => boolean) =>
  routes.filter(select).map((route) => [`${route.spec.method} ${route.spec.path}`, route] as const);

const isGuarded = ({ spec }: Route): boolean => spec.access.statuses.includes(403);
const takesJson = ({ spec }: Route): boolean => spec.body !== undefined && spec.body.kind !== "upload";

describe("a wrong key is refused", () => {
  test.each(named(() => true))("%s", async (_, route) => {
    const reply = await send("badkey", route);
    expect(reply.status).toBe(401);
    expectRefusal(reply);
  });
});

describe("unshared resources are closed to other users and to callers without a key", () => {
  test.each(named(isGuarded))("%s", async (_, route) => {
    for (const as of ["stranger", "anon"] as const) {
      const reply = await send(as, route, { ...(takesJson(route) && { raw: bodyFor(route) }) });
      expect([401, 403]).toContain(reply.status);
      if (as === "stranger") expect(reply.status).toBe(403);
      expectRefusal(reply);
    }
  });
});

describe("unknown resources are not found", () => {
  test.each(named(({ spec }) => /\{(docId|workspaceId|org)\}/.test(spec.path)))("%s", async (_, route) => {
    const reply = await send("owner", route, {
      replace: MISSING,
      ...(takesJson(route) && { raw: '{"name":"x","delta":{"users":{}}}' }),
    });
    expect(reply.status).toBe(404);
    expectRefusal(reply);
  });
});

describe("a body that is not JSON is refused for all callers", () => {
  test.each(named(takesJson))("%s", async (_, route) => {
    for (const as of ["owner", "stranger"] as const) {
      for (const raw of ['{"name":', "5", '"text"', "null"]) {
        const reply = await send(as, route, { raw });
        expect({ raw, status: reply.status }).toEqual({ raw, status: 400 });
        expectRefusal(reply);
        if (isScim(reply)) expect(reply.body.scimType).toBe("invalidSyntax");
        else expect(reply.body.details.code).toBe("body.invalid_json");
      }
    }
  });
});

describe("a body of another type than JSON is refused", () => {
  // For SCIM it counts as none.
  test.each(named((route) => takesJson(route) && route.spec.form === undefined))("%s", async (_, route) => {
    const method = route.spec.method.toUpperCase();
    const headers = { "Content-Type": "text/plain" };
    const reply = await server.call("owner", method, address(route), undefined, { raw: "{}", headers });
    expect(reply.status).toBe(400);
    expectRefusal(reply);
  });
});

describe("a compressed body is refused with 415", () => {
  test.each(named(({ spec }) => spec.body !== undefined))("%s", async (_, route) => {
    const method = route.spec.method.toUpperCase();
    const form = { "Content-Type": "multipart/form-data; boundary=x", "X-Requested-With": "XMLHttpRequest" };
    for (const encoding of ["gzip", "br", "identity, gzip", "unknown"]) {
      const headers = { ...(route.spec.body?.kind === "upload" && form), "Content-Encoding": encoding };
      const raw = Bun.gzipSync("{}");
      const reply = await server.call("owner", method, address(route), undefined, { raw, headers });
      expect({ encoding, status: reply.status }).toEqual({ encoding, status: 415 });
      expect(reply.body.error ?? reply.body.detail).toContain("Content-Encoding");
      expectRefusal(reply);
    }
  });
});

test("a body with Content-Encoding: identity is accepted", async () => {
  const headers = { "Content-Encoding": "Identity" };
  const path = `/api/docs/${sample.doc}/tables/Table1/records`;
  expect((await server.call("owner", "POST", path, { records: [{ fields: {} }] }, { headers })).status).toBe(200);
});

describe("responses must not be cached or sniffed", () => {
  const isKept = (headers: Headers) => headers.has("etag") && headers.get("cache-control")?.startsWith("private, ");

  // Event streams do not end, so the requests of the owner would not either.
  test.each(named(({ spec }) => spec.access.isStream !== true))("%s", async (_, route) => {
    const callers: Caller[] = route.spec.method === "get" ? ["owner", "stranger"] : ["anon", "badkey"];
    for (const as of callers) {
      const { headers } = await send(as, route);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      if (!isKept(headers)) expect(headers.get("cache-control")).toMatch(/^(private, )?no-store$/);
    }
  });

  test.each(["/status", "/openapi.json", "/api/nothing", "/nothing", "/metrics"])("%s", async (path) => {
    const { headers } = await server.call("owner", "GET", path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("private, no-store");
  });

  test("responses with rows and an ETag are cached by the client, which revalidates them", async () => {
    const { headers } = await server.call("owner", "GET", `/api/docs/${sample.doc}/tables/Table1/records`);
    expect([headers.has("etag"), headers.get("cache-control")]).toEqual([true, "private, no-cache"]);
  });
});

test("refusals outside of the routes have codes as well", async () => {
  await using small = await testApp({ flags: { "max-body": "1000", "rate-per-key": "40" } });
  const { doc } = await sampleDocument(small);
  const path = `/api/docs/${doc}`;
  const expectCode = (reply: Reply, status: number, code: string) => {
    expectRefusal(reply);
    expect([reply.status, reply.body.details.code]).toEqual([status, code]);
  };
  const large = JSON.stringify({ records: [{ fields: { A: "x".repeat(1000) } }] });
  expectCode(
    await small.call("owner", "POST", `${path}/tables/Table1/records`, undefined, { raw: large }),
    413,
    "limit.body_size",
  );
  expectCode(await small.call("owner", "POST", `${path}/attachments`, {}), 415, "body.unsupported_type");
  const foreign = { headers: { Origin: "https://elsewhere.example" } };
  expectCode(await small.call("owner", "GET", path, undefined, foreign), 403, "access.origin");
  const form = { raw: "{}", headers: { "Content-Type": "text/plain" } };
  expectCode(await small.call("anon", "POST", `${path}/apply`, undefined, form), 401, "auth.csrf");
  small.app.ctx.home.raw.exec("alter table documents rename to documents_gone");
  const failed = await small.call("owner", "GET", path);
  expect([failed.status, failed.body]).toEqual([
    500,
    { error: "Internal error", details: { code: "server.internal", requestId: failed.headers.get("x-request-id") } },
  ]);
  for (let sent = 0; sent < 40; sent++) await small.call("owner", "GET", "/api/profile/user");
  expectCode(await small.call("owner", "GET", path), 429, "limit.rate");
  small.app.drain();
  expectCode(await small.call("owner", "GET", path), 503, "server.shutting_down");
});

test("every route is described: a unique operation, texts, access, a response", () => {
  const ids = routes.map(({ spec }) => spec.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { spec } of routes) {
    expect(spec.summary.length).toBeGreaterThan(5);
    expect(spec.access.about.length).toBeGreaterThan(5);
    for (const name of spec.path.matchAll(/\{(\w+)\}/g)) {
      expect(Object.keys((spec.params as { shape?: object } | undefined)?.shape ?? {})).toContain(name[1] as string);
    }
  }
});

test("unknown paths and methods are 404 for all callers except with a wrong key", async () => {
  for (const as of ["owner", "stranger", "anon"] as const) {
    for (const [method, path] of [
      ["GET", "/api/nothing"],
      ["PUT", "/api/orgs"],
      ["GET", `/api/docs/${sample.doc}/nothing`],
      ["GET", "/api//orgs"],
    ] as const) {
      const reply = await server.call(as, method, path);
      expect(reply.status).toBe(404);
      expectRefusal(reply);
      expect(reply.body.details.code).toBe("route.not_found");
    }
  }
  expect((await server.call("badkey", "GET", "/api/nothing")).status).toBe(401);
});

test("every response has a unique request id", async () => {
  const first = await server.call("owner", "GET", "/api/orgs");
  const second = await server.call("owner", "GET", "/api/orgs");
  expect(first.headers.get("x-request-id")).toBeTruthy();
  expect(first.headers.get("x-request-id")).not.toBe(second.headers.get("x-request-id"));
});

test("the test users are authenticated as themselves", async () => {
  for (const [name, person] of Object.entries(USERS)) {
    const reply = await server.call(name as Caller, "GET", "/api/profile/user");
    expect(reply.body).toMatchObject({ email: person.email, name: person.name });
  }
});
