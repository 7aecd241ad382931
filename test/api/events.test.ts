import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { actorForCommand } from "../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../src/services/access/guards.ts";
import { createKey } from "../../src/services/accounts/keys.ts";
import { addUser } from "../../src/services/accounts/users.ts";
import { testApp, type TestApp } from "../helpers/app.ts";
import { subscribe, subscribeNow } from "../helpers/event-reader.ts";
import {
  createDocumentFixture,
  type DocumentFixture,
  runSteps,
  createSharedFixture,
  statusesByCaller,
} from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let records: string;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  place = await createSharedFixture(server);
  records = `${place.doc}/tables/Tea/records`;
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Tea", columns: [{ id: "Name" }] }] });
});

const share = (users: Record<string, string | null>) =>
  server.must("PATCH", `${place.doc}/access`, { delta: { users } });
const add = (...names: string[]) =>
  server.must("POST", records, { records: names.map((Name) => ({ fields: { Name } })) });

describe("a subscriber of a document", () => {
  test("gets a stream that proxies and browsers do not buffer", async () => {
    await using reader = await subscribe(server, "viewer", place.doc);
    expect(reader.status).toBe(200);
    expect(reader.headers.get("content-type")).toStartWith("text/event-stream");
    expect(reader.headers.get("cache-control")).toBe("no-store");
    expect(reader.headers.get("x-accel-buffering")).toBe("no");
    expect(await reader.next()).toMatchObject({
      event: "ready",
      data: { action: 2 },
      id: expect.stringMatching(/^2-/),
    });
  });

  test("gets rows and columns, without values, and the user if visible", async () => {
    await using owner = await subscribeNow(server, "owner", place.doc);
    await using viewer = await subscribeNow(server, "viewer", place.doc);
    await add("Assam", "Ceylon");
    await server.call("editor", "PATCH", records, { records: [{ id: 2, fields: { Name: "Sencha" } }] });
    await server.must("POST", `${place.doc}/tables/Tea/data/delete`, [1]);
    const first = await owner.until("change");
    expect(first.id).toStartWith("3-");
    expect(first.data).toEqual({
      action: 3,
      actions: 1,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      user: { id: expect.any(Number), email: "olga@example.com", name: "Olga Owner" },
      schema: false,
      tables: [{ table: "Tea", added: [1, 2] }],
    });
    const second = await owner.until("change");
    expect(second.data).toMatchObject({ action: 4, user: { name: "Emil Editor" } });
    expect(second.data.tables).toEqual([{ table: "Tea", updated: [2], columns: ["Name"] }]);
    expect((await owner.until("change")).data.tables).toEqual([{ table: "Tea", removed: [1] }]);
    const seen = [await viewer.until("change"), await viewer.until("change"), await viewer.until("change")];
    expect(seen).toMatchObject([{ data: { user: null } }, { data: { user: null } }, { data: { user: null } }]);
    expect(JSON.stringify(seen)).not.toContain("Sencha");
  });

  test("gets added, removed and renamed tables and columns", async () => {
    await using reader = await subscribeNow(server, "owner", place.doc);
    const tell = async (actions: unknown[]) => {
      await server.must("POST", `${place.doc}/apply`, actions);
      const { data } = await reader.until("change");
      const tables = data.tables.filter(({ table }: { table: string }) => !table.startsWith("_grist_"));
      return { schema: data.schema, tables };
    };
    expect(await tell([["AddColumn", "Tea", "Price", { type: "Int" }]])).toEqual({
      schema: true,
      tables: [{ table: "Tea", all: true }],
    });
    expect(await tell([["RenameTable", "Tea", "Drink"]])).toEqual({
      schema: true,
      tables: [{ table: "Drink", renamedFrom: "Tea", all: true }],
    });
    expect(await tell([["AddTable", "Cup", [{ id: "Size" }]]])).toEqual({
      schema: true,
      tables: [{ table: "Cup", isNew: true, all: true }],
    });
    expect(await tell([["RemoveTable", "Cup"]])).toEqual({ schema: true, tables: [{ table: "Cup", isGone: true }] });
  });

  test("gets changes made by formulas, and many rows as one", async () => {
    await server.must("POST", `${place.doc}/apply`, [
      ["AddColumn", "Tea", "Loud", { isFormula: true, formula: "$Name.upper()" }],
    ]);
    await add("a", "b");
    await using reader = await subscribeNow(server, "owner", place.doc);
    await server.must("PATCH", records, { records: [{ id: 1, fields: { Name: "c" } }] });
    const { tables } = (await reader.until("change")).data;
    expect(tables).toEqual([{ table: "Tea", updated: [1], columns: ["Name", "Loud"] }]);
    await add(...Array.from({ length: 1000 }, (_, i) => `tea ${i}`));
    expect((await reader.until("change")).data.tables).toEqual([{ table: "Tea", all: true }]);
    const change = { records: Array.from({ length: 1000 }, (_, i) => ({ id: i + 1, fields: { Name: "x" } })) };
    await server.must("PATCH", records, change);
    expect((await reader.until("change")).data.tables).toEqual([
      { table: "Tea", all: true, columns: ["Name", "Loud"] },
    ]);
  });

  test("gets many changes in one batch", async () => {
    await using reader = await subscribeNow(server, "owner", place.doc);
    await Promise.all(Array.from({ length: 8 }, (_, i) => add(`a${i}`)));
    let actions = 0;
    const added: number[] = [];
    while (actions < 8) {
      const { data } = await reader.until("change");
      actions += data.actions;
      added.push(...data.tables[0].added);
    }
    expect(actions).toBe(8);
    expect(added).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("gets nothing for a refused change", async () => {
    await using reader = await subscribeNow(server, "owner", place.doc);
    await runSteps(server, [
      ["owner", "POST", records, { records: [{ fields: { Nothing: 1 } }] }, 400],
      ["owner", "POST", records, { records: [{ fields: { Name: "ok" } }] }, 200],
    ]);
    expect((await reader.next())?.data).toMatchObject({ action: 3, tables: [{ table: "Tea", added: [1] }] });
  });
});

describe("reconnecting", () => {
  test("resumes by the id of an event or the number of a state", async () => {
    await using before = await subscribeNow(server, "owner", place.doc);
    await add("one");
    await before.until("change");
    await before.leave();
    await add("two");
    await add("three");
    const rest = [
      { event: "change", data: { action: 4, tables: [{ table: "Tea", added: [2] }] } },
      { event: "change", data: { action: 5, tables: [{ table: "Tea", added: [3] }] } },
      { event: "ready", data: { action: 5 } },
    ];
    const ways = [
      { headers: { "Last-Event-ID": before.lastId ?? "" } },
      { query: `?after=${before.lastId}` },
      { query: "?after=3" },
      // The header takes precedence, as the URL of a browser's reconnect stays the same.
      { query: "?after=1", headers: { "Last-Event-ID": before.lastId ?? "" } },
    ];
    for (const way of ways) {
      await using reader = await subscribe(server, "viewer", place.doc, way);
      for (const event of rest) expect(await reader.next()).toMatchObject(event);
    }
    await using all = await subscribe(server, "owner", place.doc, { query: "?after=0" });
    expect((await all.until("change")).data).toMatchObject({ action: 1 });
  });

  test("after a long time merges the changes", async () => {
    for (let i = 0; i < 30; i++) await add(`t${i}`);
    await using reader = await subscribe(server, "owner", place.doc, { query: "?after=2" });
    const { data } = await reader.until("change");
    expect(data).toMatchObject({ action: 32, actions: 30 });
    expect(data.tables[0].added).toHaveLength(30);
    expect((await reader.next())?.event).toBe("ready");
  });

  test("with an unknown position sends a reset", async () => {
    await add("one");
    await add("two");
    await server.must("POST", `${place.doc}/states/remove`, { keep: 1 });
    for (const after of ["2", "3-00000000", "9", "4-00000000"]) {
      await using reader = await subscribe(server, "owner", place.doc, { query: `?after=${after}` });
      expect(await reader.next()).toMatchObject({ event: "reset", data: { action: 4, reason: "history" } });
      expect((await reader.next())?.event).toBe("ready");
    }
    await using reader = await subscribe(server, "owner", place.doc, { query: "?after=4" });
    expect((await reader.next())?.event).toBe("ready");
  });

  test("refuses invalid ids", async () => {
    for (const query of ["?after=x", "?after=-1", "?after=1.5", "?after=1&after=2", "?after="]) {
      await using reader = await subscribe(server, "owner", place.doc, { query });
      expect({ query, status: reader.status }).toEqual({ query, status: 400 });
    }
    await using reader = await subscribe(server, "owner", place.doc, { headers: { "Last-Event-ID": "nonsense" } });
    expect(reader.status).toBe(400);
  });
});

describe("a stream ends", () => {
  test("when the caller loses access to the document", async () => {
    await using viewer = await subscribeNow(server, "viewer", place.doc);
    await using owner = await subscribeNow(server, "owner", place.doc);
    await share({ "vito@example.com": null });
    await add("secret");
    expect(await viewer.next()).toMatchObject({ event: "end", data: { reason: "access" } });
    expect(await viewer.next()).toBeNull();
    expect((await owner.until("change")).data).toMatchObject({ action: 3 });
    expect(await statusesByCaller(server, ["viewer", "stranger", "anon"], ["GET", `${place.doc}/events`])).toEqual([
      403, 403, 403,
    ]);
  });

  test("soon, also while the document is idle", async () => {
    await using viewer = await subscribeNow(server, "viewer", place.doc);
    await share({ "vito@example.com": null });
    expect(await viewer.next()).toMatchObject({ event: "end", data: { reason: "access" } });
  });

  test("when the key is revoked", async () => {
    const { ctx } = server.app;
    const person = await addUser(ctx, { email: `${place.uuid}@example.com`, name: "Nora" });
    const key = createKey(ctx, guardSignedIn(actorForCommand(ctx, person.email)), {});
    await share({ [person.email]: "viewers" });
    const headers = { Authorization: `Bearer ${key}` };
    await using reader = await subscribeNow(server, "owner", place.doc, { headers });
    await server.call("owner", "DELETE", "/api/profile/apikey", undefined, { headers });
    expect(await reader.next()).toMatchObject({ event: "end", data: { reason: "signedOut" } });
    expect(await reader.next()).toBeNull();
  });

  test("when the document is moved to the trash, and when it is deleted", async () => {
    await using first = await subscribeNow(server, "owner", place.doc);
    await server.must("POST", `${place.doc}/remove`);
    expect(await first.next()).toMatchObject({ event: "end", data: { reason: "removed" } });
    expect((await server.call("owner", "GET", `${place.doc}/events`)).status).toBe(404);
    await server.must("POST", `${place.doc}/unremove`);
    await using second = await subscribeNow(server, "owner", place.doc);
    await server.must("DELETE", place.doc);
    expect(await second.next()).toMatchObject({ event: "end", data: { reason: "removed" } });
    expect(await second.next()).toBeNull();
  });

  test("immediately when the server stops", async () => {
    await using other = await testApp();
    const there = await createDocumentFixture(other);
    await using reader = await subscribeNow(other, "owner", there.doc);
    other.app.drain();
    expect(await reader.next()).toMatchObject({ event: "end", data: { reason: "stopping" } });
    expect(await reader.next()).toBeNull();
    expect((await other.call("owner", "GET", `${there.doc}/events`)).status).toBe(503);
  });
});

test("replaced content sends a reset, also to clients that reconnect", async () => {
  const source = await server.must<string>("POST", `${place.shelf}/docs`, { name: "Source" });
  for (let i = 0; i < 5; i++)
    await server.must("POST", `/o/docs/api/docs/${source}/apply`, [["AddRecord", "Table1", null, {}]]);
  await using reader = await subscribeNow(server, "owner", place.doc);
  await server.must("POST", `${place.doc}/replace`, { sourceDocId: source });
  const reset = await reader.next();
  expect(reset).toMatchObject({ event: "reset", data: { action: 6, reason: "replaced" } });
  await server.must("POST", `${place.doc}/apply`, [["AddRecord", "Table1", null, {}]]);
  expect((await reader.until("change")).data).toMatchObject({ action: 7, tables: [{ table: "Table1" }] });
  await using late = await subscribe(server, "owner", place.doc, { query: "?after=2-12345678" });
  expect(await late.next()).toMatchObject({ event: "reset", data: { reason: "history" } });
});

test("HEAD requests and disconnected clients do not count", async () => {
  await using few = await testApp({ flags: { "max-document-streams": "2", "max-streams": "3" } });
  const [one, two] = [await createDocumentFixture(few), await createDocumentFixture(few)];
  for (let i = 0; i < 5; i++) {
    const head = await few.call("owner", "HEAD", `${one.doc}/events`);
    expect(head.status).toBe(200);
    expect(head.headers.get("content-type")).toStartWith("text/event-stream");
  }
  await using first = await subscribeNow(few, "owner", one.doc);
  await using _second = await subscribeNow(few, "owner", one.doc);
  const third = await few.call("owner", "GET", `${one.doc}/events`);
  expect(third.status).toBe(429);
  expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
  await using _other = await subscribeNow(few, "owner", two.doc);
  expect((await few.call("owner", "GET", `${two.doc}/events`)).status).toBe(429);
  await first.leave();
  await using again = await subscribeNow(few, "owner", one.doc);
  expect(again.status).toBe(200);
});
