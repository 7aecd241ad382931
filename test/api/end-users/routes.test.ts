/** Every route of the API with a token: generated from the table of routes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { must } from "../../../src/lib/assert.ts";
import { END_USER_ROUTES } from "../../../src/http/end-users/end-user-routes.ts";
import type { Route } from "../../../src/http/route.ts";
import { routes } from "../../../src/http/routes.ts";
import { type Reply, testApp, type TestApp } from "../../helpers/app.ts";
import { callWithToken, createToken } from "../../helpers/end-users.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
/** Of the same owner, in the same workspace, and shared with all users. */
let other: string;
let workspace: number;
const tokens = { viewers: "", editors: "" };

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  workspace = place.shelfId;
  other = await server.must<string>("POST", `${place.shelf}/docs`, { name: "Other", urlId: "other" });
  const everyone = { "everyone@getgrist.com": "editors", "anon@getgrist.com": "editors" };
  await server.must("PATCH", `/o/docs/api/docs/${other}/access`, { delta: { users: everyone } });
  // The address of an administrator's account, which owns everything else.
  for (const role of ["viewers", "editors"] as const)
    tokens[role] = await createToken(server, place.doc, { email: "olga@example.com", role });
});
afterAll(() => server[Symbol.asyncDispose]());

const MISSING = "00000000-0000-4000-8000-000000000000";
const OUTSIDE = {
  error: "The token is not valid here: it is for one document",
  details: { code: "auth.token_document" },
};

const parametersOf = (docId: string): Record<string, string> => ({
  docId,
  docId2: other,
  workspaceId: String(workspace),
  org: "team",
  colId: "A",
  jobId: `${"1".repeat(22)}-${"1".repeat(22)}`,
});

/** Nothing is deleted: the next route needs it. */
const tableOf = ({ spec }: Route): string => (spec.method === "delete" ? "Nothing" : "Table1");

const address = (route: Route, docId: string): string => {
  const values: Record<string, string> = { ...parametersOf(docId), tableId: tableOf(route) };
  const path = route.spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "1");
  return `/o/docs${path}`;
};

const send = (role: "viewers" | "editors", route: Route, docId: string, raw?: string): Promise<Reply> =>
  callWithToken(server, tokens[role], [route.spec.method.toUpperCase(), address(route, docId)], {
    ...(raw !== undefined && { raw }),
  });

const named = (select: (route: Route) => boolean) =>
  routes.filter(select).map((route) => [route.spec.id, route] as const);

const hasDocument = ({ spec }: Route): boolean => spec.path.startsWith("/api/docs/{docId}");
const isForEndUsers = ({ spec }: Route): boolean => END_USER_ROUTES.has(spec.id);
const isForEditors = ({ spec }: Route): boolean => spec.access.about.startsWith("Owners and editors");

describe("outside of the document, every answer is the same", () => {
  test.each(named(() => true))("%s", async (_, route) => {
    for (const docId of hasDocument(route) ? [other, "other", MISSING, "%zz", `${place.uuid.slice(0, -1)}x`] : [""]) {
      for (const raw of route.spec.method === "get" ? [undefined] : ["{}", '{"name":', "5"]) {
        const { status, body } = await send("editors", route, docId, raw);
        expect({ docId, raw, status, body }).toEqual({ docId, raw, status: 401, body: OUTSIDE });
      }
    }
  });

  test.each([
    "/api/nothing",
    "/api/docs",
    "/api/docs/",
    "/openapi.json",
    "/api/docs/../orgs",
    "/api/docs/%2e%2e/orgs",
    "/api/jobs/x",
    "/api/jobs/",
    "/o/team/api/orgs/current",
    "/o/nosuchsite/api/session/access/active",
  ])("GET %s", async (path) => {
    const { status, body } = await callWithToken(server, tokens.editors, ["GET", path]);
    expect({ status, body }).toEqual({ status: 401, body: OUTSIDE });
  });
});

describe("in the document, routes for end users answer as to a user with the role", () => {
  // Streams do not end; streams.test.ts has them.
  test.each(named((route) => isForEndUsers(route) && hasDocument(route) && route.spec.access.isStream !== true))(
    "%s",
    async (_, route) => {
      const method = route.spec.method.toUpperCase();
      const options = method === "GET" ? {} : { raw: '{"unknown":1}' };
      for (const [role, user] of [
        ["viewers", "viewer"],
        ["editors", "editor"],
      ] as const) {
        const asUser = await server.call(user, method, address(route, place.uuid), undefined, options);
        const { status, body } = await send(role, route, place.uuid, options.raw);
        expect({ role, status, code: body.details?.code }).toEqual({
          role,
          status: asUser.status,
          code: asUser.body.details?.code,
        });
        expect(status).not.toBe(401);
        if (role === "viewers" && isForEditors(route)) expect(body.details.code).toBe("access.edit_denied");
      }
    },
  );
});

describe("in the document, all other routes are refused, whatever they are sent", () => {
  test.each(named((route) => !isForEndUsers(route) && hasDocument(route)))("%s", async (_, route) => {
    for (const raw of route.spec.method === "get" ? [undefined] : ["{}", '{"name":']) {
      const { status, body } = await send("editors", route, place.uuid, raw);
      expect({ raw, status, code: body.details.code }).toEqual({ raw, status: 403, code: "access.token_denied" });
    }
  });
});

test("the list of routes for end users has no others", () => {
  const ids = new Set(routes.map(({ spec }) => spec.id));
  expect([...END_USER_ROUTES].filter((id) => !ids.has(id))).toEqual([]);
  const isOwners = ({ spec }: Route) => spec.access.about.startsWith("Owners of");
  expect(routes.filter((route) => isForEndUsers(route) && isOwners(route))).toEqual([]);
});

describe("the document is found by each of its ids, in any site", () => {
  test.each(["uuid", "short id", "number", "urlId", "former urlId"])("%s", async (form) => {
    const { id } = await server.must<{ id: string }>("GET", place.doc);
    const { documentId } = must(
      server.app.ctx.home.reach.document(place.uuid, { userId: 2, domain: null }),
      "document",
    );
    await server.must("PATCH", place.doc, { urlId: "first" });
    await server.must("PATCH", place.doc, { urlId: "second" });
    const ref = { uuid: place.uuid, "short id": id, number: documentId, urlId: "second", "former urlId": "first" }[
      form
    ];
    for (const site of ["docs", "team", "nosuchsite"]) {
      const path = `/o/${site}/api/docs/${ref}/tables`;
      expect((await callWithToken(server, tokens.viewers, ["GET", path])).status).toBe(200);
    }
  });

  test("also if another site has a document of the same urlId", async () => {
    const doc = await server.must<string>("POST", "/o/docs/api/orgs/team/workspaces", { name: "Twin" });
    await server.must("POST", `/o/docs/api/workspaces/${doc}/docs`, { name: "Twin", urlId: "twin" });
    await server.must("PATCH", place.doc, { urlId: "twin" });
    expect((await server.call("owner", "GET", "/o/docs/api/docs/twin/tables")).status).toBe(400);
    const reply = await callWithToken(server, tokens.viewers, ["GET", "/o/docs/api/docs/twin/tables"]);
    expect(reply.status).toBe(200);
  });
});
