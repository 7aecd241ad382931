import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { WrittenRules } from "../doc/rules/ruled.ts";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { formOf } from "../helpers/attachments.ts";
import { setRules as putRules } from "../helpers/access-rules.ts";
import { runSteps, createSharedFixture, statusesByCaller } from "../helpers/request-steps.ts";

let server: TestApp;
let doc: string;

const EVERYBODY: Caller[] = ["owner", "editor", "viewer", "anon"];

/** Replaces the rules. */
const setRules = (rules: WrittenRules) => putRules(server, doc, rules);

async function put(as: Caller, name: string): Promise<number[]> {
  const raw = formOf([{ name, content: `content of ${name}` }]);
  const { status, body } = await server.call(as, "POST", `${doc}/attachments`, undefined, { raw });
  expect(status).toBe(200);
  return body as number[];
}

/** Attachments 1 and 2 are in rows 1 and 2 of `Plants`, 3 in row 2 of another column, 4 in no cell. */
beforeAll(async () => {
  server = await testApp();
  ({ doc } = await createSharedFixture(server, { "everyone@getgrist.com": "viewers" }));
  const { must } = server;
  for (const name of ["one.txt", "two.txt", "three.txt", "four.txt"]) await put("owner", name);
  const columns = ["Photo", "Recipe"].map((id) => ({ id, fields: { type: "Attachments" } }));
  await must("POST", `${doc}/tables`, { tables: [{ id: "Plants", columns: [{ id: "Name" }, ...columns] }] });
  const rows = [
    { Name: "aloe", Photo: ["L", 1] },
    { Name: "basil", Photo: ["L", 2], Recipe: ["L", 3] },
  ];
  await must("POST", `${doc}/tables/Plants/records`, { records: rows.map((fields) => ({ fields })) });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the statuses of requests for an attachment's metadata and its file, by caller. */
async function of(id: number, query = ""): Promise<number[][]> {
  const both: number[][] = [];
  for (const path of [`${id}${query}`, `${id}/download${query}`]) {
    both.push(await statusesByCaller(server, EVERYBODY, ["GET", `${doc}/attachments/${path}`]));
  }
  return both;
}

const twice = (...list: number[]): number[][] => [list, list];

test("without rules all users have access to all attachments", async () => {
  await setRules({});
  for (const id of [1, 2, 3, 4]) expect(await of(id)).toEqual(twice(200, 200, 200, 200));
  expect(await of(99)).toEqual(twice(404, 404, 404, 404));
});

describe("where rows are hidden", () => {
  beforeAll(() =>
    setRules({ "Plants:*": [{ formula: "user.Access != OWNER and rec.Name == 'aloe'", permissions: "-R" }] }),
  );

  test("an attachment is accessible to users who can read a cell with it", async () => {
    expect(await of(1)).toEqual(twice(200, 403, 403, 403));
    expect(await of(2)).toEqual(twice(200, 200, 200, 200));
    expect(await of(3)).toEqual(twice(200, 200, 200, 200));
    expect(await of(4)).toEqual(twice(200, 403, 403, 403));
    expect(await of(99)).toEqual([
      [404, 403, 403, 403],
      [404, 404, 404, 404],
    ]);
  });

  test("a named cell must be readable and contain the attachment", async () => {
    const cell = (colId: string, rowId: number) => `?tableId=Plants&colId=${colId}&rowId=${rowId}`;
    expect(await of(2, cell("Photo", 2))).toEqual(twice(200, 200, 200, 200));
    expect((await of(1, cell("Photo", 1))).map((list) => list.slice(1))).toEqual(twice(404, 404, 404));
    expect((await of(2, cell("Photo", 1))).map((list) => list.slice(1))).toEqual(twice(404, 404, 404));
    expect((await of(2, cell("Recipe", 2))).map((list) => list.slice(1))).toEqual(twice(404, 404, 404));
    expect((await of(2, cell("Nope", 2))).map((list) => list.slice(1))).toEqual(twice(404, 404, 404));
  });

  test("lists are empty, and archives require permission to copy the whole document", async () => {
    for (const path of ["attachments", "tables/_grist_Attachments/records"]) {
      for (const query of ["", "?sort=fileName", `?filter=${encodeURIComponent('{"fileName":["one.txt"]}')}`]) {
        for (const as of ["editor", "viewer", "anon"] as const) {
          const { status, body } = await server.call(as, "GET", `${doc}/${path}${query}`);
          expect({ as, path, status, body }).toEqual({ as, path, status: 200, body: { records: [] } });
        }
      }
      expect((await server.call("owner", "GET", `${doc}/${path}`)).body.records.length).toBe(4);
    }
    expect(await statusesByCaller(server, EVERYBODY, ["GET", `${doc}/attachments/archive`])).toEqual([
      200, 403, 403, 403,
    ]);
  });

  test("writing the id of a file to an own cell gives no access to it", async () => {
    const add = (...ids: number[]) => ({ records: [{ fields: { Name: "mine", Photo: ["L", ...ids] } }] });
    const path = `${doc}/tables/Plants/records`;
    const [own = 0] = await put("editor", "own.txt");
    await runSteps(server, [
      ["editor", "POST", path, add(1), 403],
      ["editor", "POST", path, add(4), 403],
      ["editor", "POST", path, add(own, 1), 403],
      ["editor", "PATCH", path, { records: [{ id: 2, fields: { Photo: ["L", 1] } }] }, 403],
      ["editor", "POST", `${doc}/apply`, [["UpdateRecord", "Plants", 2, { Photo: ["L", 1] }]], 403],
      ["editor", "POST", path, add(2), 200],
      ["editor", "POST", path, add(own), 200],
      ["viewer", "GET", `${doc}/attachments/${own}/download`, undefined, 200],
      ["viewer", "GET", `${doc}/attachments/1/download`, undefined, 403],
    ]);
  });
});

test("where a column is hidden, and where its cells are censored", async () => {
  await setRules({ "Plants:Recipe": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
  expect(await of(3)).toEqual(twice(200, 200, 403, 403));
  expect(await of(1)).toEqual(twice(200, 200, 200, 200));
  await setRules({ "Plants:Photo": [{ formula: "user.Access == VIEWER and rec.Name == 'aloe'", permissions: "-R" }] });
  expect(await of(1)).toEqual(twice(200, 200, 403, 403));
  expect(await of(2)).toEqual(twice(200, 200, 200, 200));
});

test("users without access to metadata get no list of attachments, but the attachments in their cells", async () => {
  await setRules({
    "*:*": [{ formula: "user.Access == VIEWER", permissions: "none" }],
    "Plants:Photo": [{ permissions: "+R" }],
  });
  expect(await statusesByCaller(server, EVERYBODY, ["GET", `${doc}/attachments`])).toEqual([200, 200, 403, 403]);
  expect(await of(1)).toEqual(twice(200, 200, 200, 200));
  expect(await of(3)).toEqual(twice(200, 200, 403, 403));
});

test("a cached copy is revalidated when the caller's access changes", async () => {
  await setRules({});
  const path = `${doc}/attachments/1/download`;
  const { status, headers } = await server.call("viewer", "GET", path);
  expect(status).toBe(200);
  const known = { headers: { "If-None-Match": headers.get("etag") ?? "" } };
  await setRules({ "Plants:*": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
  expect((await server.call("viewer", "GET", path, undefined, known)).status).toBe(403);
  const info = await server.call("editor", "GET", `${doc}/attachments/1`);
  const held = { headers: { "If-None-Match": info.headers.get("etag") ?? "" } };
  expect((await server.call("viewer", "GET", `${doc}/attachments/1`, undefined, held)).status).toBe(403);
});
