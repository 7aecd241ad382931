/** Keys that are limited to sites, workspaces, documents or tables. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { KeyRestrictions } from "../../../src/authorization.ts";
import { ROUTE_SCOPES, routeScopeOf } from "../../../src/http/keys/route-scopes.ts";
import { routes } from "../../../src/http/routes.ts";
import type { Route } from "../../../src/http/route.ts";
import { limitedKey, NOWHERE } from "../../helpers/limited-keys.ts";
import { sampleDocument, testApp, type Reply, type Sample, type TestApp } from "../../helpers/app.ts";

type Spec = Route["spec"];

let server: TestApp;
let sample: Sample;
let other: { orgId: number; workspaceId: number; doc: string };
let orgId: number;
const keys: Record<string, string> = {};

const MISSING: Readonly<Record<string, string>> = {
  docId: "00000000-0000-4000-8000-000000000000",
  workspaceId: "987654321",
  org: "nosuchsite",
};

beforeAll(async () => {
  server = await testApp({ flags: { scim: "on" } });
  sample = await sampleDocument(server);
  orgId = (await server.must<{ id: number }>("GET", "/api/orgs/team")).id;
  const otherOrg = await server.must<number>("POST", "/o/docs/api/orgs", { name: "Other", domain: "other" });
  const workspaceId = await server.must<number>("POST", `/o/docs/api/orgs/${otherOrg}/workspaces`, { name: "Far" });
  const doc = await server.must<string>("POST", `/o/docs/api/workspaces/${workspaceId}/docs`, { name: "Far away" });
  other = { orgId: otherOrg, workspaceId, doc };
  const add = (name: string, restrictions: Partial<KeyRestrictions>) => {
    keys[name] = limitedKey(server, "owner", { restrictions: { ...NOWHERE, ...restrictions } });
  };
  add("nowhere", {});
  add("site", { sites: [orgId] });
  add("workspace", { workspaces: [sample.workspaceId] });
  add("document", { documents: [sample.doc] });
  add("table", { tables: { [sample.doc]: ["Table1"] } });
  add("other site", { sites: [other.orgId] });
  add("other workspace", { workspaces: [other.workspaceId] });
  add("other document", { documents: [other.doc] });
  add("other table", { tables: { [other.doc]: ["Table1"] } });
});
afterAll(() => server[Symbol.asyncDispose]());

const addressOf = ({ path }: Spec, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "1");

const send = (key: string, spec: Spec, address: string): Promise<Reply> =>
  server.call(
    "owner",
    spec.method.toUpperCase(),
    address.startsWith("/api/orgs") ? `/o/docs${address}` : address,
    undefined,
    {
      headers: { Authorization: `Bearer ${keys[key]}` },
      // Bodies that every access check accepts, and no operation.
      ...(spec.method !== "get" && {
        raw: spec.body?.kind === "upload" ? "" : '{"delta":{"users":{}},"operations":7,"name":7}',
      }),
    },
  );

const here = () => ({
  docId: sample.doc,
  workspaceId: String(sample.workspaceId),
  org: String(orgId),
  tableId: "Table1",
  name: "x",
});

const named = (select: (spec: Spec) => boolean) =>
  routes.filter(({ spec }) => select(spec)).map(({ spec }) => [`${spec.method} ${spec.path}`, spec] as const);
const isPlaced = ({ path }: Spec) => /\{(docId|workspaceId|org)\}/.test(path);

describe("a resource outside of a key answers like one that does not exist", () => {
  test.each(named(isPlaced))("%s", async (_, spec) => {
    for (const key of ["nowhere", "other site", "other workspace", "other document", "other table"]) {
      const found = await send(key, spec, addressOf(spec, here()));
      const missing = await send(key, spec, addressOf(spec, { ...here(), ...MISSING }));
      expect([spec.id, key, found.status, found.body]).toEqual([spec.id, key, missing.status, missing.body]);
      const isRefused = routeScopeOf(spec.id).reach === "refused";
      expect([spec.id, key, found.status]).toEqual([spec.id, key, isRefused ? 403 : 404]);
    }
  });
});

/** The route as the lowest part of its path names it, and the keys that reach all of that. */
const REACHING = {
  org: ["site"],
  workspaceId: ["site", "workspace"],
  docId: ["site", "workspace", "document"],
} as const;
const SEEING = { org: ["workspace", "document", "table"], workspaceId: ["document", "table"], docId: [] } as const;

describe("a resource within a key is found", () => {
  // Only with a GET: the other methods would change the sample. Streams do not end.
  const isRead = (spec: Spec) => isPlaced(spec) && spec.method === "get" && spec.access.isStream !== true;
  test.each(named(isRead))("%s", async (_, spec) => {
    const kind = spec.path.includes("{docId}") ? "docId" : spec.path.includes("{org}") ? "org" : "workspaceId";
    const full = await server.call(
      "owner",
      "GET",
      kind === "org" ? `/o/docs${addressOf(spec, here())}` : addressOf(spec, here()),
    );
    for (const key of REACHING[kind]) {
      const reply = await send(key, spec, addressOf(spec, here()));
      expect([spec.id, key, reply.status]).toEqual([spec.id, key, full.status]);
    }
    for (const key of SEEING[kind]) {
      const { status, body } = await send(key, spec, addressOf(spec, here()));
      // As for guests.
      const expected = spec.access.about.startsWith("All users with access") ? 200 : 403;
      expect([spec.id, key, status, body.details?.code]).toEqual([
        spec.id,
        key,
        expected,
        expected === 200 ? undefined : "access.denied",
      ]);
    }
  });
});

test.each([...ROUTE_SCOPES].filter(([, { reach }]) => reach === "refused"))(
  "%s is refused to a restricted key",
  async (id) => {
    const spec = routes.find((route) => route.spec.id === id)?.spec as Spec;
    const { status, body } = await send("site", spec, addressOf(spec, here()));
    expect([status, body.details]).toEqual([403, { code: "key.restricted" }]);
  },
);

describe("a key that is limited to a table", () => {
  const isOfDocument = (spec: Spec) =>
    /\{docId\}/.test(spec.path) &&
    routeScopeOf(spec.id).tables === "refused" &&
    routeScopeOf(spec.id).reach !== "refused";
  test.each(named(isOfDocument))("has no %s", async (_, spec) => {
    const { status, body } = await send("table", spec, addressOf(spec, here()));
    expect([spec.id, status, body.details]).toEqual([spec.id, 403, { code: "key.restricted" }]);
  });

  test.each(named((spec) => routeScopeOf(spec.id).tables === "table"))(
    "%s answers for another table like for a missing one",
    async (_, spec) => {
      await server.call("owner", "POST", `/api/docs/${sample.doc}/tables`, { tables: [{ id: "Hidden", columns: [] }] });
      const replies = await Promise.all(
        ["Hidden", "Nothing", "2", "_grist_Tables"].map((tableId) =>
          send("table", spec, addressOf(spec, { ...here(), tableId })),
        ),
      );
      for (const { status, body } of replies) {
        expect([spec.id, status, body.details]).toEqual([spec.id, 404, { code: "table.not_found" }]);
        expect(body.error).toStartWith("Table not found");
      }
    },
  );

  test.each([
    ["GET", "Table1/records?at=1"],
    ["POST", "Table1/records?dryrun=1"],
    ["POST", "Table1/records/list?at=1"],
  ])("is refused past states and dry runs: %s %s", async (method, path) => {
    const { status, body } = await server.call(
      "owner",
      method,
      `/api/docs/${sample.doc}/tables/${path}`,
      method === "GET" ? undefined : { records: [] },
      {
        headers: { Authorization: `Bearer ${keys["table"]}` },
      },
    );
    expect([status, body.details]).toEqual([403, { code: "key.restricted" }]);
  });
});

describe("listings show what the key reaches", () => {
  const as = async (key: string, path: string): Promise<Reply["body"]> => {
    const { body } = await server.call("owner", "GET", path, undefined, {
      headers: { Authorization: `Bearer ${keys[key]}` },
    });
    return body as unknown;
  };
  const SITES: readonly [string, readonly string[]][] = [
    ["nowhere", []],
    ["site", ["team"]],
    ["workspace", ["team"]],
    ["document", ["team"]],
    ["table", ["team"]],
    ["other document", ["other"]],
  ];
  test.each(SITES)("%s", async (key, sites) => {
    const orgs = await as(key, "/o/docs/api/orgs");
    expect(orgs.map(({ domain }: { domain: string }) => domain)).toEqual([...sites]);
    const { orgs: ofSession } = await as(key, "/o/docs/api/session/access/all");
    expect(ofSession.map(({ domain }: { domain: string }) => domain)).toEqual([...sites]);
  });

  test("of documents, names and roles of the workspaces around them are those of a guest", async () => {
    await server.must("POST", `/api/workspaces/${sample.workspaceId}/docs`, { name: "Second" });
    const docsOf = (body: { docs: { name: string }[] }[]) => body.map(({ docs }) => docs.map(({ name }) => name));
    expect(docsOf(await as("site", "/api/orgs/team/workspaces"))).toEqual([[], ["Sample", "Second"]]);
    expect(docsOf(await as("workspace", "/api/orgs/team/workspaces"))).toEqual([["Sample", "Second"]]);
    expect(docsOf(await as("document", "/api/orgs/team/workspaces"))).toEqual([["Sample"]]);
    expect(docsOf(await as("table", "/api/orgs/team/workspaces"))).toEqual([["Sample"]]);
    const workspace = await as("document", `/api/workspaces/${sample.workspaceId}`);
    expect([docsOf([workspace]), workspace.access, workspace.org.access]).toEqual([[["Sample"]], "viewers", "viewers"]);
    const found = await as("document", `/api/docs/${sample.doc}`);
    expect([found.access, found.workspace.access, found.workspace.org.access]).toEqual([
      "owners",
      "viewers",
      "viewers",
    ]);
    expect(
      (await as("workspace", "/o/docs/api/search?q=sam")).documents.map(({ name }: { name: string }) => name),
    ).toEqual(["Sample"]);
    expect(await as("document", "/o/docs/api/search?q=Far")).toEqual({ documents: [] });
  });
});

test("a urlId that documents outside of the key have, too, is not ambiguous", async () => {
  await server.must("PATCH", `/o/docs/api/docs/${sample.doc}`, { urlId: "shared-name" });
  await server.must("PATCH", `/o/docs/api/docs/${other.doc}`, { urlId: "shared-name" });
  const read = (key: string) =>
    server.call("owner", "GET", "/o/docs/api/docs/shared-name", undefined, {
      headers: { Authorization: `Bearer ${keys[key]}` },
    });
  expect((await read("document")).body.name).toBe("Sample");
  expect((await read("other document")).body.name).toBe("Far away");
  expect((await server.call("owner", "GET", "/o/docs/api/docs/shared-name")).status).toBe(400);
  expect((await read("nowhere")).status).toBe(404);
});
