/** The history of a document, limited to a table or a user. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { testApp, type TestApp } from "../helpers/app.ts";
import { type UndoSetting, undoSetting } from "./undo-changes/setting.ts";

let server: TestApp;
let setting: UndoSetting;
let first: number;

beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  setting = await undoSetting(server);
  first = (await setting.newest()) + 1;
});

interface Page {
  states: { n: number; user: { id: number } | null }[];
  before: number | null;
  table: string | null;
}

async function history(query: string, by = "own"): Promise<Page> {
  const { status, body } = await setting.call(by, "GET", `/history?${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body as Page;
}

/** The states of the test, from its first one. */
const numbers = ({ states }: Page) => states.map(({ n }) => n - first).filter((n) => n >= 0);

test("of a table, followed through its names", async () => {
  await setting.make([
    ["own", "UpdateRecord", "People", 1, { Age: 1 }],
    ["own", "UpdateRecord", "Orders", 1, { Item: "Bike" }],
    ["own", "RenameTable", "People", "Staff"],
    ["own", "UpdateRecord", "Staff", 2, { Age: 2 }],
  ]);
  expect(numbers(await history("table=Staff"))).toEqual([3, 2, 0]);
  // The type of a reference names its table.
  expect(numbers(await history("table=Orders"))).toEqual([2, 1]);
  // The cursor names the table as it was called before.
  const page = await history("table=Staff&limit=2");
  expect(page).toMatchObject({ before: first + 2, table: "People" });
  expect(numbers(await history(`table=${page.table}&before=${page.before}`))).toEqual([0]);
  expect((await history("")).table).toBeNull();
});

test("of a table, ends where it was added", async () => {
  await setting.make([
    ["own", "UpdateRecord", "Orders", 1, { Item: "Bike" }],
    ["own", "RemoveTable", "Orders"],
    ["own", "AddTable", "Orders", [{ id: "Item", type: "Text" }]],
    ["own", "AddRecord", "Orders", null, { Item: "Bell" }],
  ]);
  const page = await history("table=Orders");
  expect([numbers(page), page.before]).toEqual([[3, 2], null]);
});

test("of a row of a table, followed through the names of the table", async () => {
  await setting.make([
    ["own", "UpdateRecord", "People", 1, { Age: 1 }],
    ["own", "UpdateRecord", "People", 2, { Age: 2 }],
    ["own", "BulkUpdateRecord", "People", [1, 2], { Age: [3, 4] }],
    ["own", "RenameTable", "People", "Staff"],
    ["own", "UpdateRecord", "Orders", 1, { Item: "Bike" }],
    ["own", "RemoveRecord", "Staff", 2],
    ["own", "ReplaceTableData", "Staff", [1], { Age: [5] }],
  ]);
  expect(numbers(await history("table=Staff&row=1"))).toEqual([6, 2, 0]);
  expect(numbers(await history("table=Staff&row=2"))).toEqual([6, 5, 2, 1]);
  const page = await history("table=Staff&row=2&limit=2");
  expect(page).toMatchObject({ before: first + 5, table: "Staff" });
  expect(numbers(await history(`table=${page.table}&row=2&before=${page.before}`))).toEqual([2, 1]);
  expect(numbers(await history("table=Staff&row=987654"))).toEqual([6]);
});

test("of a user, for callers who see users", async () => {
  await setting.make([
    ["editor", "UpdateRecord", "People", 1, { Age: 1 }],
    ["own", "UpdateRecord", "People", 1, { Age: 2 }],
    ["editor", "UpdateRecord", "Orders", 1, { Item: "Bike" }],
  ]);
  const { states } = await history("limit=1");
  const editor = states[0]?.user?.id;
  expect(numbers(await history(`user=${editor}`))).toEqual([2, 0]);
  expect(numbers(await history(`user=${editor}&table=People`, "editor"))).toEqual([0]);
  expect((await history("user=987654321")).states).toEqual([]);
  const refused = await setting.call("viewer", "GET", `/history?user=${editor}`);
  expect([refused.status, refused.body.details.code]).toEqual([403, "access.denied"]);
  expect(numbers(await history("table=People", "viewer"))).toEqual([1, 0]);
});

test.each(["table=", "user=ada", "user=0", "row=1", "table=People&row=0", "table=People&row=x"])(
  "%s is refused",
  async (query) => {
    expect((await setting.call("own", "GET", `/history?${query}`)).status).toBe(400);
  },
);
