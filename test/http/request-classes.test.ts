/** Which node of a cluster answers a request. */
import { describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { RequestClasses } from "../../src/http/cluster/request-classes.ts";
import { classOf } from "../../src/http/route.ts";
import { routes } from "../../src/http/routes.ts";
import { formatJobId, newJobId } from "../../src/services/jobs/job-ids.ts";
import { PAGE_CLASSES } from "../../src/web/page-classes.ts";
import { createPageRouter } from "../../src/web/pages.tsx";
import { testApp } from "../helpers/app.ts";

const classes = new RequestClasses(routes, PAGE_CLASSES);
const find = (method: string, path: string) =>
  classes.find({ path, request: new Request("http://q.test", { method }) });

test("every route has the class of its spec, and those of documents their id, or the key of a link", () => {
  const document = randomUUID();
  const values: Readonly<Record<string, string>> = { docId: "some%20doc", jobId: formatJobId(document, newJobId()) };
  for (const { spec } of routes) {
    const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "1");
    const found = find(spec.method.toUpperCase(), path);
    expect([spec.id, found.requestClass, found.template]).toEqual([spec.id, classOf(spec), spec.path]);
    const expected = spec.path.includes("{jobId}") ? document : "some doc";
    if (classOf(spec) !== "document") continue;
    if (spec.path.includes("{key}")) expect([spec.id, found.formKey]).toEqual([spec.id, "1"]);
    else expect([spec.id, found.documentRef]).toEqual([spec.id, expected]);
  }
});

const unused = (): never => {
  throw new Error("no form is sent");
};

test("every page and form has a class, and no class is for a page that does not exist", () => {
  const pages = createPageRouter({
    describeApi: () => ({}),
    incomingForm: unused,
    withDocumentSlot: unused,
  }).routes.filter(({ method }) => method !== "ALL");
  const registered = pages.map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(registered)].toSorted()).toEqual(
    PAGE_CLASSES.map(([method, path]) => `${method} ${path}`).toSorted(),
  );
  for (const [method, path, requestClass] of PAGE_CLASSES) {
    const isPublishedForm = path.startsWith("/forms/:key/");
    if (method === "POST") expect([path, requestClass]).toEqual([path, isPublishedForm ? "document" : "home"]);
    if (requestClass === "document") expect([path, isPublishedForm || path.includes("/:docId")]).toEqual([path, true]);
  }
});

describe("the class of a request", () => {
  test.each([
    ["GET", "/status", "node"],
    ["GET", "/metrics", "node"],
    ["GET", "/api/docs/abc", "anywhere"],
    ["GET", "/api/docs/abc/tables/T/records", "document"],
    ["HEAD", "/api/docs/abc/tables/T/records", "document"],
    ["GET", "/api/docs/abc/events", "document"],
    ["POST", "/api/docs/abc/sql", "document"],
    ["POST", "/api/docs/abc/copy", "home"],
    ["POST", "/api/docs/abc/import", "home"],
    ["POST", "/api/docs/abc/webhooks", "home"],
    ["PATCH", "/api/docs/abc/access", "home"],
    ["POST", "/api/domains/check", "anywhere"],
    ["GET", "/docs/abc/tables/T", "document"],
    ["GET", "/docs/abc/sharing", "document"],
    ["POST", "/sign-in", "home"],
    ["GET", "/admin/backups", "home"],
    ["POST", "/admin/users/7/reset", "home"],
    ["GET", "/unknown", "anywhere"],
    ["POST", "/api/unknown", "anywhere"],
  ])("%s %s: %s", (method, path, requestClass) => {
    expect(find(method, path).requestClass as string).toBe(requestClass);
  });

  test("work on whole files has a longer timeout, and events last", () => {
    expect(find("GET", "/api/docs/abc/download").isLong).toBe(true);
    expect(find("POST", "/api/docs/abc/attachments").isLong).toBe(true);
    expect(find("GET", "/api/docs/abc/tables").isLong).toBe(false);
    expect(find("GET", "/api/docs/abc/events").isStream).toBe(true);
    expect(find("GET", "/api/docs/abc/history").isStream).toBe(false);
  });
});

describe("a route that writes home", () => {
  const wronglyClassed = (id: string) =>
    routes.map((route) =>
      route.spec.id === id ? { ...route, spec: { ...route.spec, requestClass: "anywhere" as const } } : route,
    );

  test.each([
    ["createWorkspace", "POST", "/api/orgs/team/workspaces", { name: "Other" }],
    ["modifyOrg", "PATCH", "/api/orgs/team", { name: "Other" }],
    ["renameSelf", "POST", "/api/profile/user/name", { name: "Other" }],
  ])("fails in all API tests when its class is wrong: %s", async (id, method, path, body) => {
    await using right = await testApp();
    expect((await right.call("owner", method, path, body)).status).toBe(200);
    await using wrong = await testApp({ requestClasses: new RequestClasses(wronglyClassed(id), PAGE_CLASSES) });
    expect((await wrong.call("owner", method, path, body)).body.details.code).toStartWith("storage.");
  });
});
