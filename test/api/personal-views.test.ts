/** Personal views of sections: each user has their own, which is not part of the document. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { MAX_PERSONAL_VIEWS } from "../../src/home/personal-views.ts";
import { type Caller, testApp, type TestApp, USERS } from "../helpers/app.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const pathOf = (section: number | string): string => `${place.doc}/sections/${section}/view`;
const call = (as: Caller, method: string, section: number | string, body?: unknown) =>
  server.call(as, method, pathOf(section), body);
const found = async (as: Caller, section: number): Promise<unknown> => {
  const { status, body } = await call(as, "GET", section);
  return status === 200 ? (body as { view: unknown }).view : status;
};
const count = (): unknown =>
  server.app.ctx.home.raw.get<{ count: number }>("select count(*) as count from personal_views")?.count;

test("viewers, too, save a view that other users do not have", async () => {
  const view = { sort: "-3", hide: "", filter: '{"2":{"contains":"“x” <b>"}}' };
  expect(await found("viewer", 5)).toBeNull();
  expect(await call("viewer", "PUT", 5, view)).toMatchObject({ status: 200, body: null });
  expect(await found("viewer", 5)).toEqual(view);
  expect(await found("viewer", 6)).toBeNull();
  expect(await found("owner", 5)).toBeNull();
  expect(await call("owner", "PUT", 5, { lines: "2" })).toMatchObject({ status: 200 });
  expect(await found("viewer", 5)).toEqual(view);
  expect(await call("viewer", "PUT", 5, { sort: "4", unknown: "x" })).toMatchObject({ status: 200 });
  expect(await found("viewer", 5)).toEqual({ sort: "4" });
  expect(await call("viewer", "DELETE", 5)).toMatchObject({ status: 200, body: null });
  expect(await call("viewer", "DELETE", 5)).toMatchObject({ status: 200 });
  expect(await found("viewer", 5)).toBeNull();
  expect(await found("owner", 5)).toEqual({ lines: "2" });
});

test.each([
  ["x", { sort: "1" }],
  ["0", { sort: "1" }],
  ["-1", { sort: "1" }],
  ["1", { sort: 5 }],
  ["1", []],
  ["1", { sort: "x".repeat(1001) }],
  ["1", { filter: "x".repeat(20_001) }],
  ["1", { filter: "x".repeat(15_000), order: "y".repeat(5000) }],
])("section %s and view %# are refused", async (section, view) => {
  expect(await call("viewer", "PUT", section, view)).toMatchObject({ status: 400 });
});

test("strangers and anonymous callers have none, also where they can read the document", async () => {
  const before = count();
  expect(await found("stranger", 5)).toBe(403);
  expect(await call("stranger", "PUT", 5, { sort: "1" })).toMatchObject({ status: 403 });
  await server.must("PATCH", `${place.doc}/access`, { delta: { users: { "everyone@getgrist.com": "viewers" } } });
  expect(await server.call("anon", "GET", `${place.doc}/tables`)).toMatchObject({ status: 200 });
  for (const method of ["GET", "PUT", "DELETE"])
    expect(await call("anon", method, 5, method === "PUT" ? {} : undefined)).toMatchObject({
      status: 401,
      body: { details: { code: "auth.required" } },
    });
  expect(count()).toBe(before);
});

test("a user can have a limited number of views in a document", async () => {
  const { home } = server.app.ctx;
  const userId = home.users.byEmail(USERS.editor.email)?.id ?? 0;
  const documentId = home.raw.get<{ id: number }>("select max(id) as id from documents")?.id ?? 0;
  for (let section = 1; section < MAX_PERSONAL_VIEWS; section++)
    home.personalViews.save({ userId, documentId, section }, "{}");
  expect(await call("editor", "PUT", 1000, {})).toMatchObject({ status: 200 });
  expect(await call("editor", "PUT", 1001, {})).toMatchObject({
    status: 400,
    body: { details: { code: "limit.exceeded" } },
  });
  expect(await call("editor", "PUT", 1000, { sort: "2" })).toMatchObject({ status: 200 });
});

test("views go with the document", async () => {
  const doc = await server.must<string>("POST", `/o/docs/api/workspaces/${place.shelfId}/docs`, { name: "Other" });
  const before = count();
  await server.must("PUT", `/o/docs/api/docs/${doc}/sections/1/view`, { sort: "2" });
  expect(count()).toBe(Number(before) + 1);
  await server.must("DELETE", `/o/docs/api/docs/${doc}`);
  expect(count()).toBe(before);
});
