/** Who may read past states, and how requests name them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setRules } from "../../helpers/access-rules.ts";
import { type Caller, type Reply, testApp, type TestApp } from "../../helpers/app.ts";
import { createSharedFixture, type DocumentFixture } from "../../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server, { "everyone@getgrist.com": "viewers" });
  await server.must("POST", `${place.doc}/apply`, [["RenameColumn", "Table1", "A", "Name"]]);
  for (const Name of ["Assam", "Ceylon", "Darjeeling"]) await add(Name);
});
afterAll(() => server[Symbol.asyncDispose]());

const add = (Name: string) =>
  server.must("POST", `${place.doc}/tables/Table1/records`, { records: [{ fields: { Name } }] });
const records = `tables/Table1/records`;
const read = (as: Caller, at: string, path = records) =>
  server.call(as, "GET", `${place.doc}/${path}${path.includes("?") ? "&" : "?"}at=${at}`);
const namesAt = async (at: string): Promise<unknown> => {
  const { status, body } = await read("owner", at);
  return status === 200 ? body.records.map(({ fields }: { fields: { Name: string } }) => fields.Name) : body.details;
};

interface Row {
  readonly fields: { readonly Name: string };
}
const nameOf = ({ body }: Reply): string | undefined => (body as { records: Row[] }).records[0]?.fields.Name;

const ROUTES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ["GET", records],
  ["GET", `${records}?cursor=start`],
  ["GET", `${records}/1`],
  ["POST", `${records}/list`, {}],
  ["GET", "tables/Table1/data"],
  ["POST", "tables/Table1/aggregate", {}],
  ["GET", "sql?q=select%201"],
  ["POST", "sql", { sql: "select 1" }],
  ["GET", "download/csv?tableId=Table1"],
  ["GET", "download/tsv?tableId=Table1"],
  ["GET", "download/dsv?tableId=Table1"],
  ["GET", "download/xlsx"],
  ["GET", "download/xlsx?tableId=Table1"],
  ["GET", "download/table-schema?tableId=Table1"],
];
const PEOPLE = ["owner", "editor", "viewer", "stranger", "anon", "badkey"] as const;
/** States that exist, that do not, and texts that name none. */
const STATES = ["3", "5", "999", "0", "nonsense", "1999-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];

describe("access", () => {
  /** Returns the answers of each caller, by route and state, as far as they are refusals. */
  const refusals = async (as: Caller) => {
    const found = new Set<string>();
    for (const [method, path, body] of ROUTES) {
      for (const at of STATES) {
        const url = `${place.doc}/${path}${path.includes("?") ? "&" : "?"}at=${at}`;
        const reply = await server.call(as, method, url, body);
        found.add(reply.status === 200 ? "200" : `${reply.status} ${reply.body.details?.code}`);
      }
    }
    return [...found].toSorted();
  };
  const allowed = ["200", "400 at.invalid", "404 state.not_found"];

  test("without rules, all who can read the document can read its states", async () => {
    for (const as of PEOPLE)
      expect([as, await refusals(as)]).toEqual([as, as === "badkey" ? ["401 auth.key_invalid"] : allowed]);
  });

  test("with rules, only callers who may copy everything learn anything about a state", async () => {
    await setRules(server, place.doc, {
      "Table1:Name": [{ formula: "user.Access != OWNER and rec.id == 99", permissions: "-R" }],
    });
    expect(await refusals("owner")).toEqual(allowed);
    for (const as of ["editor", "viewer", "stranger", "anon"] as const)
      expect([as, await refusals(as)]).toEqual([as, ["403 access.rules"]]);
    // Before the rules, all callers could read the same states.
    expect((await read("viewer", "5")).body).toEqual((await read("viewer", "999")).body);
    await setRules(server, place.doc, {
      "*SPECIAL:FullCopies": [{ formula: "user.Access == EDITOR", permissions: "+R" }],
      "Table1:Name": [{ formula: "user.Access == VIEWER", permissions: "-R" }],
    });
    expect(await refusals("editor")).toEqual(allowed);
    expect(await refusals("viewer")).toEqual(["403 access.rules"]);
    await setRules(server, place.doc, {});
    expect(await refusals("viewer")).toEqual(allowed);
  });
});

test("the rules of then do not matter", async () => {
  await setRules(server, place.doc, { "Table1:Name": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
  const { states } = await server.must<{ states: { n: number }[] }>("GET", `${place.doc}/states`);
  await setRules(server, place.doc, {});
  const { status, body } = await read("viewer", String(states[0]?.n));
  expect([status, (body as { records: Row[] }).records.map(({ fields }) => fields.Name)]).toEqual([
    200,
    ["Assam", "Ceylon", "Darjeeling"],
  ]);
});

describe("at", () => {
  test("is the number of a state", async () => {
    expect(await namesAt("2")).toEqual([]);
    expect(await namesAt("3")).toEqual(["Assam"]);
    expect(await namesAt("4")).toEqual(["Assam", "Ceylon"]);
    expect((await read("owner", "1")).body.records).toEqual([]);
    expect((await read("owner", "")).headers.get("x-quern-state")).toBeNull();
  });

  test.each([
    ["0", "at.invalid"],
    ["-1", "at.invalid"],
    ["1.5", "at.invalid"],
    ["007", "at.invalid"],
    ["HEAD", "at.invalid"],
    ["2026-01-31", "at.invalid"],
    ["2026-02-30T12:00Z", "at.invalid"],
    ["2026-01-31T25:00Z", "at.invalid"],
    ["2026-01-31T12:00X", "at.invalid"],
    ["1e3", "at.invalid"],
    ["123456789012345678", "at.invalid"],
    ["99999", "state.not_found"],
    ["1999-12-31T23:59:59Z", "state.not_found"],
  ])("%s is refused with %s", async (at, code) => {
    const { status, body } = await read("owner", at);
    expect([status, body.details.code]).toEqual([code === "at.invalid" ? 400 : 404, code]);
  });

  test("is not longer than 100 characters, and given once", async () => {
    expect((await read("owner", "1".repeat(101))).status).toBe(400);
    expect((await read("owner", "1&at=2")).status).toBe(400);
  });

  test("needs a table of then", async () => {
    expect((await read("owner", "1", "tables/Missing/records")).status).toBe(404);
    expect((await read("owner", "1", "sql?q=select%20Name%20from%20Table1")).status).toBe(400);
    expect((await read("owner", "2", "sql?q=select%20Name%20from%20Table1")).status).toBe(200);
  });
});

describe("answers", () => {
  test("have an ETag of the state, and 304 for it", async () => {
    const first = await read("viewer", "3");
    const tag = first.headers.get("etag") ?? "";
    const again = (at: string) =>
      server.call("viewer", "GET", `${place.doc}/${records}?at=${at}`, undefined, {
        headers: { "If-None-Match": tag },
      });
    expect([tag !== "", (await again("3")).status, (await again("4")).status]).toEqual([true, 304, 200]);
    expect((await again("3")).headers.get("x-quern-state")).toBe("3");
    await add("Earl Grey");
    expect([(await again("3")).status, (await read("viewer", "3")).body]).toEqual([304, first.body]);
  });

  test("have pages whose cursors are bound to the state", async () => {
    const page = (at: string, cursor: string) =>
      server.call("owner", "GET", `${place.doc}/${records}?at=${at}&limit=1&cursor=${cursor}`);
    const first = await page("4", "start");
    const second = await page("4", first.body.next);
    expect([first, second].map(nameOf)).toEqual(["Assam", "Ceylon"]);
    expect(second.body.next).toBeNull();
    for (const at of ["5", ""]) expect((await page(at, first.body.next)).body.details.code).toBe("cursor.invalid");
    const present = await page("", "start");
    expect((await page("4", present.body.next)).body.details.code).toBe("cursor.invalid");
  });

  test("come as lines, with filters, sort and total", async () => {
    const filter = encodeURIComponent('{"Name":{"startsWith":"C"}}');
    const { body } = await read("owner", "5", `${records}?filter=${filter}&total=1`);
    expect(body).toMatchObject({ total: 1, records: [{ id: 2, fields: { Name: "Ceylon" } }] });
    const lines = await server.call("owner", "GET", `${place.doc}/${records}?at=4&sort=-Name`, undefined, {
      headers: { Accept: "application/x-ndjson" },
    });
    expect(
      String(lines.body)
        .split("\n")
        .map((line) => (line ? (JSON.parse(line) as Row).fields.Name : "")),
    ).toEqual(["Ceylon", "Assam", ""]);
  });

  test("leave at most two files", async () => {
    await Promise.all(["1", "2", "3", "4", "3", "2"].map((at) => read("owner", at)));
    const files = readdirSync(join(server.folder, "tmp")).filter((name) => name.startsWith("past-"));
    expect(files.length).toBeLessThanOrEqual(2);
  });

  test("do not survive the document", async () => {
    const uuid = await server.must<string>("POST", `${place.shelf}/docs`, { name: "Short" });
    const doc = `/o/docs/api/docs/${uuid}`;
    const filesOf = () => readdirSync(join(server.folder, "tmp")).filter((name) => name.startsWith("past-")).length;
    const before = filesOf();
    await server.must("GET", `${doc}/tables/Table1/records?at=1`);
    expect(filesOf()).toBe(before + 1);
    await server.must("DELETE", doc);
    expect(filesOf()).toBe(before);
    expect((await server.call("owner", "GET", `${doc}/tables/Table1/records?at=1`)).status).toBe(404);
  });
});
