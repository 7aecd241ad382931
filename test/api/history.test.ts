import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import type { Retention } from "../../src/wire/documents/history.ts";
import { setRules } from "../helpers/access-rules.ts";
import { type DocumentFixture, runSteps, createSharedFixture, statusesByCaller } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp({ flags: { "history-states": "20" } });
  place = await createSharedFixture(server);
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Tea", columns: [{ id: "Name" }] }] });
  await server.must("POST", `${place.doc}/tables/Tea/records`, { records: [{ fields: { Name: "Assam" } }] });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Answer {
  states: { n: number; h: string }[];
}
const states = async (doc = place.doc) => (await server.must<Answer>("GET", `${doc}/states`)).states;

describe("states", () => {
  test("are listed newest first, for viewers, with an ETag", async () => {
    const { status, body, headers } = await server.call("viewer", "GET", `${place.doc}/states`);
    expect(status).toBe(200);
    expect(body.states.map(({ n }: { n: number }) => n)).toEqual([3, 2, 1]);
    expect(body.states[0].h).toMatch(/^[0-9a-f]{64}$/);
    const tag = { headers: { "If-None-Match": headers.get("etag") ?? "" } };
    expect((await server.call("viewer", "GET", `${place.doc}/states`, undefined, tag)).status).toBe(304);
  });

  test("are deleted by owners only, and never all, also with keep 0", async () => {
    const doc = `/o/docs/api/docs/${await server.must<string>("POST", `${place.shelf}/docs`, { name: "Old" })}`;
    const remove = `${doc}/states/remove`;
    for (const name of ["A", "B"])
      await server.must("PATCH", `${doc}/tables/Table1/columns`, { columns: [change(name)] });
    await runSteps(server, [
      ["owner", "POST", remove, {}, 400],
      ["owner", "POST", remove, { keep: "2" }, 400],
      ["owner", "POST", remove, { keep: 1.5 }, 400],
      ["owner", "POST", remove, { keep: -1 }, 400],
      ["owner", "POST", remove, [], 400],
      ["owner", "POST", remove, { keep: 2 }, 200, null],
      ["owner", "GET", `${doc}/states`, undefined, 200, { states: [{ n: 3 }, { n: 2 }] }],
      ["owner", "GET", `${doc}/compare?left=HEAD~2`, undefined, 400],
      ["owner", "POST", remove, { keep: 1 }, 200, null],
    ]);
    expect(await states(doc)).toHaveLength(1);
    await server.must("PATCH", `${doc}/tables/Table1/columns`, { columns: [change("C")] });
    // Keeping 0 states keeps the current one.
    await runSteps(server, [
      ["owner", "POST", remove, { keep: 0 }, 200, null],
      ["owner", "GET", `${doc}/states`, undefined, 200, { states: [{ n: 4 }] }],
    ]);
    expect(await states(doc)).toHaveLength(1);
    const people = ["editor", "viewer", "stranger", "anon"] as const;
    const refused = await statusesByCaller(server, people, ["POST", `${place.doc}/states/remove`, { keep: 1 }]);
    expect(refused).toEqual([403, 403, 403, 403]);
  });

  test("are kept in the number that the owners chose", async () => {
    const doc = `/o/docs/api/docs/${await server.must<string>("POST", `${place.shelf}/docs`, { name: "Short" })}`;
    const retention = `${doc}/states/retention`;
    const addRows = async (count: number) => {
      for (let i = 0; i < count; i++) await server.must("POST", `${doc}/apply`, [["AddRecord", "Table1", null, {}]]);
    };
    await addRows(9);
    const { serverStates, serverBytes } = await server.must<Retention>("GET", retention);
    await runSteps(server, [
      ["owner", "GET", retention, undefined, 200, { states: null, serverStates, serverBytes }],
      ["owner", "PUT", retention, {}, 400],
      ["owner", "PUT", retention, { states: 0 }, 400],
      ["owner", "PUT", retention, { states: "5" }, 400],
      ["owner", "PUT", retention, { states: 2.5 }, 400],
      ["owner", "PUT", retention, { states: serverStates + 1 }, 400],
    ]);
    expect(await states(doc)).toHaveLength(10);
    await server.must("PUT", retention, { states: 4 });
    expect(await states(doc)).toHaveLength(4);
    await addRows(32);
    const kept = await states(doc);
    expect(kept.length).toBeLessThan(20);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    // A copy keeps as many as the server.
    const copy = await server.must<string>("POST", "/o/docs/api/docs", {
      sourceDocumentId: doc.split("/").at(-1),
      workspaceId: Number(place.shelf.split("/").at(-1)),
      documentName: "Copy",
    });
    expect(await server.must<Retention>("GET", `/o/docs/api/docs/${copy}/states/retention`)).toMatchObject({
      states: null,
    });
    await runSteps(server, [
      ["owner", "PUT", retention, { states: null }, 200, { states: null, serverStates, serverBytes }],
      ["owner", "GET", retention, undefined, 200, { states: null }],
    ]);
    await addRows(16);
    expect((await states(doc)).length).toBeGreaterThanOrEqual(Math.min(20, kept.length + 16));
    const people = ["editor", "viewer", "stranger", "anon"] as const;
    const at = `${place.doc}/states/retention`;
    expect(await statusesByCaller(server, people, ["PUT", at, { states: 1 }])).toEqual([403, 403, 403, 403]);
    expect(await statusesByCaller(server, people, ["GET", at])).toEqual([403, 403, 403, 403]);
  });

  test("old ones are deleted automatically", async () => {
    const doc = `/o/docs/api/docs/${await server.must<string>("POST", `${place.shelf}/docs`, { name: "Busy" })}`;
    for (let i = 0; i < 34; i++) await server.must("POST", `${doc}/apply`, [["AddRecord", "Table1", null, {}]]);
    const kept = await states(doc);
    expect(kept.length).toBeLessThanOrEqual(25);
    expect(kept.length).toBeGreaterThanOrEqual(20);
    expect(kept[0]?.n).toBe(35);
  });
});

const change = (id: string) => ({ id, fields: { label: `${id}2` } });

describe("comparing", () => {
  const compare = (query: string) => server.call("viewer", "GET", `${place.doc}/compare${query}`);

  test("two states of a document", async () => {
    const [newest, second] = await states();
    const { body } = await compare("?left=HEAD~1");
    expect(body).toMatchObject({ left: second, right: newest, parent: second, summary: "right" });
    expect(body.details).toEqual({
      leftChanges: { tableRenames: [], tableDeltas: {} },
      rightChanges: {
        tableRenames: [],
        tableDeltas: {
          Tea: {
            updateRows: [],
            removeRows: [],
            addRows: [1],
            columnDeltas: { Name: { "1": [null, ["Assam"]] }, manualSort: { "1": [null, [1]] } },
            columnRenames: [],
          },
        },
      },
    });
    expect((await compare(`?left=${second?.h}&right=`)).body).toEqual(body);
    expect((await compare("")).body).toMatchObject({ left: newest, right: newest, summary: "same" });
  });

  test("refuses invalid requests", async () => {
    const bad = ["left=HEAD&right=HEAD~1", "left=abc", "left=HEAD~9", "maxRows=0", "maxRows=x", "left=HEAD&left=HEAD"];
    for (const query of bad) {
      const { status, body } = await compare(`?${query}`);
      expect({ query, status, error: typeof body.error }).toEqual({ query, status: 400, error: "string" });
    }
    expect((await compare("?left=HEAD~2&maxRows=1")).status).toBe(200);
  });
});

describe("comparing two documents", () => {
  const with2 = (other: string, query = "") => `${place.doc}/compare/${other}${query}`;

  test("a copy shares the history of the original", async () => {
    const copy = await server.must<string>("POST", `${place.doc}/copy`, {
      workspaceId: place.shelfId,
      documentName: "Copy",
    });
    const other = `/o/docs/api/docs/${copy}`;
    const [parent] = await states();
    expect(await server.must<object>("GET", with2(copy))).toEqual({
      left: parent,
      right: parent,
      parent,
      summary: "same",
    });
    await server.must("PATCH", `${other}/tables/Tea/records`, { records: [{ id: 1, fields: { Name: "Sencha" } }] });
    expect(await server.must<object>("GET", with2(copy, "?detail=true"))).toMatchObject({
      parent,
      summary: "right",
      details: {
        leftChanges: { tableDeltas: {} },
        rightChanges: { tableDeltas: { Tea: { columnDeltas: { Name: { "1": [["Assam"], ["Sencha"]] } } } } },
      },
    });
    expect(await server.must<object>("GET", `${other}/compare/${place.uuid}`)).toMatchObject({ summary: "left" });
    await server.must("POST", `${place.doc}/tables/Tea/records`, { records: [{ fields: { Name: "Ceylon" } }] });
    const both = await server.must<{ left: object; right: object }>("GET", with2(copy, "?detail=1"));
    expect(both).toMatchObject({
      parent,
      summary: "both",
      left: { n: 4 },
      right: { n: 4 },
      details: { leftChanges: { tableDeltas: { Tea: { addRows: [2] } } } },
    });
    expect(both.left).not.toEqual(both.right);
    // Only its creator has access to the copy.
    expect(await statusesByCaller(server, ["viewer", "editor", "stranger"], ["GET", with2(copy)])).toEqual([
      403, 403, 403,
    ]);
  });

  test("other documents have no common state", async () => {
    const other = await server.must<string>("POST", `${place.shelf}/docs`, { name: "Other" });
    await runSteps(server, [
      [
        "owner",
        "GET",
        with2(other, "?detail=1"),
        undefined,
        200,
        { parent: null, summary: "unrelated", right: { n: 1 } },
      ],
      ["owner", "GET", with2("nosuchdocument"), undefined, 404],
      ["owner", "GET", `/o/docs/api/docs/nosuchdocument/compare/${other}`, undefined, 404],
      ["stranger", "GET", with2("nosuchdocument"), undefined, 403],
    ]);
    expect(await server.must<object>("GET", with2(other, "?detail=1"))).not.toHaveProperty("details");
  });

  test("a refusal frees the document for other requests", async () => {
    for (let i = 0; i < 12; i++) expect((await server.call("owner", "GET", with2("none"))).status).toBe(404);
    expect((await server.call("owner", "GET", `${place.doc}/states`)).status).toBe(200);
  });
});

describe("the history", () => {
  const history = (as: Caller, query = "") => server.call(as, "GET", `${place.doc}/history${query}`);
  const none = { added: [], removed: [], renamed: [], modified: [], changes: [] };

  test("returns time, user and changes of each state", async () => {
    const doc = `/o/docs/api/docs/${await server.must<string>("POST", `${place.shelf}/docs`, { name: "Told" })}`;
    await server.must("POST", `${doc}/tables`, { tables: [{ id: "Cup", columns: [{ id: "Size" }] }] });
    await server.must("POST", `${doc}/tables/Cup/data`, { Size: [1, 2, 3] });
    await server.must("POST", `${doc}/apply`, [
      ["BulkRemoveRecord", "Cup", [1]],
      ["UpdateRecord", "Cup", 2, { Size: 9 }],
      ["RenameColumn", "Cup", "Size", "Width"],
    ]);
    const { body } = await server.call("owner", "GET", `${doc}/history?limit=3`);
    const user = { id: expect.any(Number), email: "olga@example.com", name: "Olga Owner" };
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const h = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(body.states).toMatchObject([
      { n: 4, h, time, user, isRead: true },
      { n: 3, tables: expect.arrayContaining([{ table: "Cup", added: 3, updated: 0, removed: 0, columns: none }]) },
      { n: 2, tables: expect.arrayContaining([expect.objectContaining({ table: "Cup", isNew: true, added: 0 })]) },
    ]);
    expect(body.states[0].tables).toContainEqual({
      table: "Cup",
      added: 0,
      updated: 1,
      removed: 1,
      columns: { ...none, renamed: [["Size", "Width"]], changes: [{ column: "Width", cells: 1 }] },
    });
    expect(body.before).toBe(2);
    const last = await server.call("owner", "GET", `${doc}/history?before=${body.before}`);
    expect(last.body).toMatchObject({ states: [{ n: 1 }], before: null });
  });

  test("hides names from viewers, and everything from callers from whom rules hide something", async () => {
    const { body } = await history("viewer");
    expect(body.states.length).toBeGreaterThan(2);
    expect(body.states.every(({ user }: { user: unknown }) => user === null)).toBe(true);
    expect((await history("editor")).body.states[0].user).toMatchObject({ name: "Olga Owner" });
    const people = ["stranger", "anon"] as const;
    expect(await statusesByCaller(server, people, ["GET", `${place.doc}/history`])).toEqual([403, 403]);
    await setRules(server, place.doc, { "Tea:*": [{ formula: "user.Access != OWNER", permissions: "none" }] });
    expect(await statusesByCaller(server, ["owner", "editor", "viewer"], ["GET", `${place.doc}/history`])).toEqual([
      200, 403, 403,
    ]);
    await setRules(server, place.doc, {});
  });

  test("refuses invalid requests", async () => {
    for (const query of ["limit=0", "limit=101", "limit=x", "before=0", "before=-1", "before=x", "limit=1&limit=2"]) {
      expect({ query, status: (await history("owner", `?${query}`)).status }).toEqual({ query, status: 400 });
    }
  });
});
