import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { unzipSync } from "fflate";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentFile } from "../../src/hosts/files/document-files.ts";
import { Database as StoredDatabase } from "../../src/sqlite/database.ts";
import { testApp, type Caller, type TestApp } from "../helpers/app.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import {
  createDocumentFixture,
  type DocumentFixture,
  runSteps,
  createSharedFixture,
  statusesByCaller,
} from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  const columns = [
    { id: "Name", fields: { type: "Text", label: "Sort of tea" } },
    { id: "Price", fields: { type: "Numeric", widgetOptions: '{"numMode":"currency"}' } },
    { id: "Since", fields: { type: "Date" } },
    { id: "Twice", fields: { type: "Numeric", isFormula: true, formula: "$Price * 2" } },
  ];
  await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Tea", columns }] });
  const rows = [
    { Name: "Assam", Price: 4.5, Since: "2020-01-02" },
    { Name: "Sencha, first", Price: 12, Since: null },
    { Name: "Mint", Price: 3, Since: "2019-05-05" },
  ];
  await server.must("POST", `${place.doc}/tables/Tea/records`, { records: rows.map((fields) => ({ fields })) });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns a response with its raw bytes. */
async function get(path: string, { as = "owner", method = "GET", headers = {} } = {}): Promise<Response> {
  const key = server.keys[as as "owner"];
  const all = { Host: "quern.test", Authorization: `Bearer ${key}`, ...headers };
  return server.app.handle(new Request(`http://quern.test${place.doc}${path}`, { method, headers: all }));
}

const CSV =
  'Sort of tea,Price,Since,Twice\nAssam,$4.50,2020-01-02,9\n"Sencha, first",$12.00,,24\nMint,$3.00,2019-05-05,6\n';

test.each(["/download", "/download?template=true", "/attachments/archive"])(
  "a client that does not read %s holds no snapshot of the document",
  async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    await server.must("PATCH", `${place.doc}/tables/Tea/records`, { records: [{ id: 1, fields: { Price: 4.5 } }] });
    using document = new StoredDatabase(documentFile(server.folder, place.doc.split("/").at(-1) ?? ""));
    expect(document.checkpoint("truncate", { waitMs: 5000 })).toBe(true);
    await answer.body?.cancel();
  },
);

describe("a table", () => {
  test("as CSV has formatted values, and a descriptive file name", async () => {
    const answer = await get("/download/csv?tableId=Tea");
    expect(await answer.text()).toBe(CSV);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="Paper-Tea.csv"',
      "cache-control": "private, no-cache",
    });
  });

  test.each([
    ["tsv", "text/tab-separated-values; charset=utf-8", "\t"],
    ["dsv", "text/x-doo-separated-values; charset=utf-8", "\u{1f4a9}"],
  ])("as %s", async (format, type, separator) => {
    const answer = await get(`/download/${format}?tableId=Tea&header=colId`);
    expect(answer.headers.get("content-type")).toBe(type);
    expect((await answer.text()).split("\n")[0]).toBe(["Name", "Price", "Since", "Twice"].join(separator));
  });

  test("has the requested name, with any characters", async () => {
    const named = async (title: string) =>
      (await get(`/download/csv?tableId=Tea&title=${encodeURIComponent(title)}`)).headers.get("content-disposition");
    expect(await named("My teas")).toBe('attachment; filename="My teas.csv"');
    expect(await named("../x/茶")).toBe("attachment; filename=\"?.csv\"; filename*=UTF-8''%E8%8C%B6.csv");
  });

  test("is revalidated until it changes", async () => {
    const first = await get("/download/csv?tableId=Tea");
    const headers = { "If-None-Match": first.headers.get("etag") ?? "" };
    expect(headers["If-None-Match"]).not.toBe("");
    expect((await get("/download/csv?tableId=Tea", { headers })).status).toBe(304);
    await server.must("POST", `${place.doc}/apply`, [["UpdateRecord", "Tea", 1, { Price: 4.5001 }]]);
    expect((await get("/download/csv?tableId=Tea", { headers })).status).toBe(200);
    await server.must("POST", `${place.doc}/apply`, [["UpdateRecord", "Tea", 1, { Price: 4.5 }]]);
  });

  test("shows references by their display column or formula", async () => {
    const columns = [{ id: "Tea", fields: { type: "Ref:Tea" } }];
    await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Cups", columns }] });
    await server.must("POST", `${place.doc}/apply`, [["BulkAddRecord", "Cups", [null, null], { Tea: [1, 0] }]]);
    const cups = async () => (await (await get("/download/csv?tableId=Cups")).text()).split("\n").slice(1);
    const refOf = async (table: string, column: string) => {
      const found = await server.must<{ columns: { id: string; fields: { colRef: number } }[] }>(
        "GET",
        `${place.doc}/tables/${table}/columns`,
      );
      return found.columns.find(({ id }) => id === column)?.fields.colRef;
    };
    expect(await cups()).toEqual(["Tea[1]", "", ""]);
    const [own, since] = [await refOf("Cups", "Tea"), await refOf("Tea", "Since")];
    const show = (formula: string) => ["SetDisplayFormula", "Cups", null, own, formula];
    await server.must("POST", `${place.doc}/apply`, [show("$Tea.Name.upper()")]);
    expect(await cups()).toEqual(["ASSAM", "", ""]);
    await server.must("POST", `${place.doc}/apply`, [
      ["ModifyColumn", "Cups", "Tea", { visibleCol: since }],
      show("$Tea.Since"),
    ]);
    expect(await cups()).toEqual(["2020-01-02", "", ""]);
    await server.must("POST", `${place.doc}/apply`, [["RemoveTable", "Cups"]]);
  });

  test("as a description has the address of its CSV", async () => {
    const answer = await get("/download/table-schema?tableId=Tea&header=colId");
    const { path, schema } = (await answer.json()) as { path: string; schema: { fields: { name: string }[] } };
    expect(path).toBe(`http://quern.test/api/docs/${place.uuid}/download/csv?tableId=Tea&header=colId`);
    expect(schema.fields.map(({ name }) => name)).toEqual(["Name", "Price", "Since", "Twice"]);
  });

  const refused: [query: string, status: number][] = [
    ["csv", 400],
    ["csv?tableId=", 400],
    ["csv?tableId=Tea&header=", 400],
    ["csv?tableId=Tea&header=other", 400],
    ["csv?tableId=tea", 404],
    ["csv?tableId=2", 404],
    ["csv?tableId=_grist_Tables", 404],
    ["csv?tableId=Tea&tableId=Tea", 400],
    ["tsv?tableId=None", 404],
    ["xlsx?tableId=None", 404],
    ["xlsx?header=other", 400],
    ["table-schema", 400],
    ["table-schema?tableId=Tea&header=x", 400],
    ["ods?tableId=Tea", 404],
    ["csv?viewSection=x", 400],
    ["csv?viewSection=999", 404],
  ];
  test.each(refused)("download/%s → %i", async (query, status) => {
    await runSteps(server, [["owner", "GET", `${place.doc}/download/${query}`, undefined, status]]);
  });

  test("requires a viewer; also for HEAD", async () => {
    for (const path of ["csv?tableId=Tea", "xlsx", "table-schema?tableId=Tea"]) {
      const people: Caller[] = ["editor", "viewer", "stranger", "anon", "badkey"];
      const found = await statusesByCaller(server, people, ["GET", `${place.doc}/download/${path}`]);
      expect(found).toEqual([200, 200, 403, 403, 401]);
    }
    const head = await get("/download/csv?tableId=Tea", { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      200,
      "text/csv; charset=utf-8",
      "",
    ]);
    expect((await get("/download/csv?tableId=None", { method: "HEAD" })).status).toBe(404);
  });
});

describe("a widget", () => {
  /** Returns the widget of the table's page: its id, its fields and the ids of its columns. */
  async function widget(): Promise<{ section: number; refs: Record<string, number> }> {
    const { columns } = await server.must<{ columns: { id: string; fields: { colRef: number } }[] }>(
      "GET",
      `${place.doc}/tables/Tea/columns`,
    );
    const refs = Object.fromEntries(columns.map(({ id, fields }) => [id, fields.colRef]));
    const sections = await server.must<Rows>("GET", `${place.doc}/tables/_grist_Views_section/records`);
    const tables = await server.must<Rows>("GET", `${place.doc}/tables/_grist_Tables/records`);
    const table = tables.records.find(({ fields }) => fields["tableId"] === "Tea");
    const found = sections.records.find(({ fields }) => fields["tableRef"] === table?.id && fields["parentId"] !== 0);
    return { section: found?.id ?? 0, refs };
  }
  interface Rows {
    records: { id: number; fields: Record<string, unknown> }[];
  }
  const lines = async (query: string) => (await (await get(`/download/csv?${query}`)).text()).trimEnd().split("\n");
  const query = (values: Record<string, string | number | object>) =>
    new URLSearchParams(
      Object.entries(values).map(([name, value]): [string, string] => [
        name,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]),
    ).toString();

  test("is exported with its fields, formats, sort and filters", async () => {
    const { section, refs } = await widget();
    const fields = await server.must<Rows>(
      "GET",
      `${place.doc}/tables/_grist_Views_section_field/records?filter=${encodeURIComponent(JSON.stringify({ parentId: [section] }))}`,
    );
    const fieldOf = (name: string) => fields.records.find(({ fields: { colRef } }) => colRef === refs[name])?.id;
    await server.must("POST", `${place.doc}/apply`, [
      ["RemoveRecord", "_grist_Views_section_field", fieldOf("Twice")],
      ["UpdateRecord", "_grist_Views_section_field", fieldOf("Price"), { widgetOptions: '{"decimals":1}' }],
      ["UpdateRecord", "_grist_Views_section", section, { sortColRefs: JSON.stringify([-(refs["Price"] ?? 0)]) }],
      [
        "AddRecord",
        "_grist_Filters",
        null,
        { viewSectionRef: section, colRef: refs["Name"], filter: '{"excluded":["Mint"]}' },
      ],
    ]);
    expect(await lines(query({ viewSection: section }))).toEqual([
      "Sort of tea,Price,Since",
      '"Sencha, first",12.0,',
      "Assam,4.5,2020-01-02",
    ]);
    const names = async (more: Record<string, string | number | object>) =>
      (await lines(query({ viewSection: section, tableId: "Tea", ...more })))
        .slice(1)
        .map((line) => line.split(",")[0]);
    expect(await names({ activeSortSpec: [refs["Name"]] })).toEqual(["Assam", '"Sencha']);
    expect(await names({ filters: [{ colRef: refs["Name"], filter: "" }] })).toEqual(['"Sencha', "Assam", "Mint"]);
    expect(await names({ filters: [{ colRef: refs["Price"], filter: '{"min":4,"max":5}' }] })).toEqual(["Assam"]);
    expect(await names({ linkingFilter: { filters: { Price: [12] }, operations: { Price: "in" } } })).toEqual([
      '"Sencha',
    ]);
    expect(await names({ linkingFilter: { filters: { id: [1] } } })).toEqual(["Assam"]);
    expect(await lines("tableId=Tea&activeSortSpec=[-99]")).toEqual(CSV.trimEnd().split("\n"));
    const deep = `{"included":[${"[".repeat(200_000)}${"]".repeat(200_000)}]}`;
    for (const filter of ["null", "[", "5", "[1]", '{"included":5}', '{"max":{}}', deep]) {
      await server.must("POST", `${place.doc}/apply`, [["UpdateRecord", "_grist_Filters", 1, { filter }]]);
      expect({ filter: filter.slice(0, 20), names: await names({}) }).toEqual({
        filter: filter.slice(0, 20),
        names: ['"Sencha', "Assam", "Mint"],
      });
    }
    await server.must("POST", `${place.doc}/apply`, [
      ["UpdateRecord", "_grist_Filters", 1, { filter: '{"excluded":["Mint"]}' }],
    ]);
    const odd: Record<string, string | object>[] = [
      { activeSortSpec: "x" },
      { activeSortSpec: {} },
      { filters: "[" },
      { filters: {} },
      { filters: [{ colRef: "x" }] },
      { filters: [{ colRef: refs["Name"], filter: "[" }] },
      { filters: [{ colRef: refs["Name"], filter: '{"included":5}' }] },
      { filters: [{ colRef: refs["Since"], filter: '{"min":"soon"}' }] },
      { linkingFilter: {} },
      { linkingFilter: { filters: { Nope: [1] } } },
      { linkingFilter: { filters: { Price: 1 } } },
      { linkingFilter: { filters: { Price: [1] }, operations: { Price: "near" } } },
    ];
    for (const values of odd) {
      const { status } = await get(`/download/csv?${query({ viewSection: section, ...values })}`);
      expect({ values, status }).toEqual({ values, status: 400 });
    }
    const sheet = await get(`/download/xlsx?${query({ viewSection: section })}`);
    expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, XLSX]);
  });
});

describe("a workbook", () => {
  const sheetsOf = async (path: string) => {
    const answer = await get(path);
    const parts = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    const workbook = new TextDecoder().decode(parts["xl/workbook.xml"]);
    return {
      name: answer.headers.get("content-disposition"),
      type: answer.headers.get("content-type"),
      sheets: [...workbook.matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name),
    };
  };

  test("has every table, or the requested one", async () => {
    expect(await sheetsOf("/download/xlsx")).toEqual({
      name: 'attachment; filename="Paper.xlsx"',
      type: XLSX,
      sheets: ["Table1", "Tea"],
    });
    expect(await sheetsOf("/download/xlsx?title=All")).toMatchObject({ name: 'attachment; filename="All.xlsx"' });
    expect(await sheetsOf("/download/xlsx?tableId=Tea")).toMatchObject({
      name: 'attachment; filename="Paper-Tea.xlsx"',
      sheets: ["Tea"],
    });
  });

  test.each([
    ["?header=label", "Sort of tea"],
    ["?header=colId", "Name"],
    ["?tableId=&header=label", "Sort of tea"],
  ])("holds every table with %s and no table, headed by %s", async (query, heading) => {
    expect(await sheetsOf(`/download/xlsx${query}`)).toMatchObject({
      name: 'attachment; filename="Paper.xlsx"',
      sheets: ["Table1", "Tea"],
    });
    const parts = unzipSync(new Uint8Array(await (await get(`/download/xlsx${query}`)).arrayBuffer()));
    const [first] = new TextDecoder().decode(parts["xl/worksheets/sheet2.xml"]).match(/<t[^>]*>[^<]*/) ?? [];
    expect(first).toEndWith(`>${heading}`);
  });
});

describe("the document as a file", () => {
  const folder = tempFolder();
  async function file(query = "", as: Caller = "owner"): Promise<Database> {
    const answer = await get(`/download${query}`, { as });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-sqlite3"]);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const path = join(folder, `${crypto.randomUUID()}.grist`);
    writeFileSync(path, bytes);
    return new Database(path, { readonly: true });
  }
  const count = (db: Database, table: string) =>
    (db.query(`select count(*) as n from "${table}"`).get() as { n: number }).n;
  const whole = (db: Database) => db.query("pragma integrity_check").all();

  test("is complete, has no rows as a template, and no history with nohistory", async () => {
    using all = await file("", "viewer");
    expect([count(all, "Tea"), count(all, "_gristsys_ActionHistory") > 1, whole(all)]).toEqual([
      3,
      true,
      [{ integrity_check: "ok" }],
    ]);
    using short = await file("?nohistory=true");
    expect([count(short, "Tea"), count(short, "_gristsys_ActionHistory"), whole(short)]).toEqual([
      3,
      1,
      [{ integrity_check: "ok" }],
    ]);
    using template = await file("?template=1");
    expect([count(template, "Tea"), count(template, "_gristsys_ActionHistory")]).toEqual([0, 1]);
    const { sql } = template.query("select group_concat(name) as sql from sqlite_master").get() as { sql: string };
    expect(sql).toContain("Tea");
    expect(sql).not.toContain("_quern_");
  });

  test("has webhooks disabled", async () => {
    await server.must("POST", `${place.doc}/apply`, [
      ["AddRecord", "_grist_Triggers", null, { tableRef: 2, eventTypes: ["L", "add"], enabled: true }],
    ]);
    using db = await file();
    expect(db.query("select enabled from _grist_Triggers").all()).toEqual([{ enabled: 0 }]);
  });

  test("has the document's or the requested name; leaves no file behind", async () => {
    const named = async (query: string) => (await get(`/download${query}`, { method: "HEAD" })).headers;
    expect((await named("")).get("content-disposition")).toBe('attachment; filename="Paper.grist"');
    expect((await named("?title=Copy")).get("content-disposition")).toBe('attachment; filename="Copy.grist"');
    const given = await get("/download");
    await given.body?.cancel();
    expect(readdirSync(join(server.folder, "tmp"))).toEqual([]);
  });

  test("can be checked first", async () => {
    await runSteps(server, [
      ["viewer", "GET", `${place.doc}/download?dryrun=1`, undefined, 200, { dryRun: "allowed" }],
      ["viewer", "GET", `${place.doc}/download?dryRun=yes&template=1`, undefined, 200, { dryRun: "allowed" }],
      ["stranger", "GET", `${place.doc}/download?dryrun=1`, undefined, 403],
    ]);
  });

  test("is a consistent snapshot during concurrent writes", async () => {
    const { doc } = await createDocumentFixture(server);
    const pending = server.app.handle(
      new Request(`http://quern.test${doc}/download`, {
        headers: { Host: "quern.test", Authorization: `Bearer ${server.keys.owner}` },
      }),
    );
    const writes = Array.from({ length: 8 }, () =>
      server.must("POST", `${doc}/apply`, [["AddRecord", "Table1", null, { A: "x" }]]),
    );
    const [answer] = await Promise.all([pending, ...writes]);
    const path = join(folder, "moving.grist");
    writeFileSync(path, new Uint8Array(await answer.arrayBuffer()));
    using db = new Database(path, { readonly: true });
    expect(whole(db)).toEqual([{ integrity_check: "ok" }]);
    // One state per row, except for the initial one of every history.
    expect(count(db, "_gristsys_ActionHistory")).toBe(count(db, "Table1") + 1);
  });
});
