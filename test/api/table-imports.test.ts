import { expectPoll } from "../helpers/expect-poll.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { testApp, type Caller, type TestApp } from "../helpers/app.ts";
import {
  createDocumentFixture,
  type DocumentFixture,
  runSteps,
  createSharedFixture,
} from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp({ flags: { "max-upload": "2MB" } });
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

type Bytes = string | Uint8Array<ArrayBuffer>;

function form(name: string, bytes: Bytes, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  data.append("upload", new File([bytes], name));
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  return data;
}

const send = (as: Caller, path: string, raw: FormData) => server.call(as, "POST", path, undefined, { raw });
const importing = (query: string, name: string, bytes: Bytes, as: Caller = "owner") =>
  send(as, `${place.doc}/import${query}`, form(name, bytes));

interface Columns {
  columns: { id: string; fields: { label: string; type: string } }[];
}
const columnsOf = async (doc: string, table: string) =>
  (await server.must<Columns>("GET", `${doc}/tables/${table}/columns`)).columns.map(({ id, fields }) => [
    id,
    fields.label,
    fields.type,
  ]);

/** Returns the state that a refused import must not change. */
async function everything({ files = true } = {}): Promise<unknown> {
  const tables = await server.must("GET", `${place.doc}/tables?expand=column`);
  const states = await server.must("GET", `${place.doc}/states`);
  const temporary = files ? readdirSync(join(server.folder, "tmp")) : [];
  return [tables, states, temporary, readdirSync(join(server.folder, "docs")).length];
}

describe("a new document", () => {
  const shelf = () => `${place.shelf}/import`;

  test("of CSV has one table, named after the file, with detected types", async () => {
    const text = "Name;Born;At;Weight;Code;Tea?\nAda;1815-12-10;2024-01-02 03:04;61.5;007;yes\nBob;;;;1;\n";
    const { status, body } = await send("owner", shelf(), form("birth days.csv", text));
    expect([status, body.title]).toEqual([200, "birth days"]);
    const doc = `/o/docs/api/docs/${body.id}`;
    await runSteps(server, [
      ["owner", "GET", `${doc}/tables`, undefined, 200, { tables: [{ id: "Birth_days" }] }],
      [
        "owner",
        "GET",
        `${doc}/tables/Birth_days/records`,
        undefined,
        200,
        {
          records: [
            {
              id: 1,
              fields: {
                Name: "Ada",
                Born: Date.UTC(1815, 11, 10) / 1000,
                At: 1_704_164_640,
                Weight: 61.5,
                Code: "007",
                Tea_: "yes",
              },
            },
            { id: 2, fields: { Name: "Bob", Born: null, At: null, Weight: null, Code: "1", Tea_: "" } },
          ],
        },
      ],
      ["owner", "GET", `${doc}/states`, undefined, 200, { states: [{ n: 1 }] }],
      [
        "owner",
        "POST",
        `${doc}/tables/Birth_days/records`,
        { records: [{ fields: { Name: "Cy" } }] },
        200,
        { records: [{ id: 3 }] },
      ],
    ]);
    expect(await columnsOf(doc, "Birth_days")).toEqual([
      ["Name", "Name", "Text"],
      ["Born", "Born", "Date"],
      ["At", "At", "DateTime:UTC"],
      ["Weight", "Weight", "Numeric"],
      ["Code", "Code", "Text"],
      ["Tea_", "Tea?", "Text"],
    ]);
  });

  test("of JSON has columns of all keys, of several lists several tables", async () => {
    const json = JSON.stringify({
      people: [
        { n: 1, ok: true },
        { n: 2, tags: ["a"] },
      ],
      "2 pets": [{ kind: "cat" }],
    });
    const { body } = await send("owner", shelf(), form("all.json", json));
    const doc = `/o/docs/api/docs/${body.id}`;
    await runSteps(server, [
      ["owner", "GET", `${doc}/tables`, undefined, 200, { tables: [{ id: "People" }, { id: "T2_pets" }] }],
      [
        "owner",
        "GET",
        `${doc}/tables/People/records`,
        undefined,
        200,
        { records: [{ fields: { n: 1, ok: true, tags: null } }, { fields: { n: 2, ok: false, tags: ["L", "a"] } }] },
      ],
    ]);
  });

  test("of a file in a folder, with repeated and missing names of columns", async () => {
    const { body } = await send(
      "owner",
      shelf(),
      form("../../etc/x.tsv", "a\tA\t\tid\n1\t2\t3\t4\n", { documentName: "Y" }),
    );
    expect(body.title).toBe("x");
    const doc = `/o/docs/api/docs/${body.id}`;
    await runSteps(server, [["owner", "GET", doc, undefined, 200, { name: "Y" }]]);
    expect((await columnsOf(doc, "X")).map(([id, label]) => [id, label])).toEqual([
      ["a", "a"],
      ["A2", "A"],
      ["B", "B"],
      ["id2", "id"],
    ]);
  });

  const bomb = () => zipSync({ "xl/workbook.xml": strToU8(" ".repeat(30_000_000)) });
  const refused: [name: string, bytes: () => Bytes, status: number][] = [
    ["a.csv", () => "", 400],
    ["a.csv", () => `a\n${"1,".repeat(2000)}1\n`, 400],
    ["a.csv", () => 'a\n"open', 400],
    ["a.csv", () => Uint8Array.of(0, 1, 2, 3), 400],
    ["a.csv", () => `${"c,".repeat(2100)}\n`, 400],
    ["a.csv", () => "x".repeat(2_100_000), 413],
    ["a.json", () => "{", 400],
    ["a.json", () => "[]", 400],
    ["a.xlsx", () => "no workbook", 400],
    ["a.xlsx", bomb, 413],
    ["a.xls", () => "\u00d0\u00cf\u0011\u00e0", 400],
    ["a.pdf", () => "%PDF-1.7", 400],
    ["nothing", () => "a,b", 400],
  ];
  test.each(refused)("is not created from %s", async (name, bytes, status) => {
    const before = await everything();
    const reply = await send("owner", shelf(), form(name, bytes()));
    expect({ status: reply.status, error: typeof reply.body.error }).toEqual({ status, error: "string" });
    // The upload is deleted right after the response.
    await expectPoll(everything).toEqual(before);
  });
});

/** Returns a new column of two values, as an import reports it. */
const column = (id: string, type: string, rule: string) => ({
  id,
  label: id,
  type,
  kind: "new",
  format: {},
  rule,
  ambiguous: false,
  converted: 2,
  unconverted: 0,
  examples: [],
});

describe("into a document", () => {
  test("a dry run returns a report, and changes nothing", async () => {
    const before = await everything({ files: false });
    const { status, body } = await importing("?dryRun=1", "Stock list.csv", "Item,Qty\nbolt,5\nnut,7\n", "editor");
    expect([status, body]).toEqual([
      200,
      {
        decimal: ".",
        dates: "mdy",
        uploadId: expect.any(Number),
        tables: [
          {
            id: "Stock_list",
            name: "Stock list",
            isNew: true,
            rows: 2,
            delimiter: ",",
            encoding: "utf-8",
            header: 1,
            droppedLines: [],
            blankLines: 0,
            columns: [
              { ...column("Item", "Text", "texts"), firstValue: "bolt" },
              { ...column("Qty", "Numeric", "values"), firstValue: 5 },
            ],
          },
        ],
      },
    ]);
    // Only the file and its rows are kept for the import.
    expect(await everything({ files: false })).toEqual(before);
  });

  test("creates tables with unique names", async () => {
    for (const id of ["Stock", "Stock2"]) {
      const { status, body } = await importing("", "stock.csv", "Item,Qty,Day\nbolt,5,2024-05-06\n", "editor");
      expect([status, body.tables[0].id]).toEqual([200, id]);
      await runSteps(server, [
        [
          "viewer",
          "GET",
          `${place.doc}/tables/${id}/records`,
          undefined,
          200,
          { records: [{ id: 1, fields: { Item: "bolt", Qty: 5, Day: 1_714_953_600 } }] },
        ],
      ]);
    }
  });

  test("rows are added to a table, parsed like typed text; formula columns are unchanged", async () => {
    const columns = [
      { id: "Name", fields: { type: "Text", label: "Full name" } },
      { id: "Pay", fields: { type: "Numeric", widgetOptions: '{"numMode":"currency"}' } },
      { id: "Tags", fields: { type: "ChoiceList" } },
      { id: "Twice", fields: { type: "Numeric", isFormula: true, formula: "$Pay * 2" } },
    ];
    await server.must("POST", `${place.doc}/tables`, { tables: [{ id: "Crew", columns }] });
    await server.must("POST", `${place.doc}/apply`, [["AddRecord", "Crew", null, { Name: "Kim" }]]);
    const csv = 'full name,Pay,Tags,Twice\nLou,"$1,250.50","a, b",9\n';
    const before = await server.must<{ states: unknown[] }>("GET", `${place.doc}/states`);
    const { status, body } = await importing("?table=Crew", "x.csv", csv);
    expect([status, body.tables]).toMatchObject([
      200,
      [
        {
          id: "Crew",
          name: "x",
          isNew: false,
          rows: 1,
          columns: [
            { id: "Name", label: "Full name", type: "Text", kind: "existing" },
            { id: "Pay", label: "Pay", type: "Numeric", kind: "existing" },
            { id: "Tags", label: "Tags", type: "ChoiceList", kind: "existing" },
            { id: "Twice", label: "Twice", type: "Numeric", kind: "skipped" },
          ],
        },
      ],
    ]);
    await runSteps(server, [
      [
        "owner",
        "GET",
        `${place.doc}/tables/Crew/records`,
        undefined,
        200,
        {
          records: [
            { id: 1, fields: { Name: "Kim" } },
            { id: 2, fields: { Name: "Lou", Pay: 1250.5, Tags: ["L", "a", "b"], Twice: 2501 } },
          ],
        },
      ],
    ]);
    const after = await server.must<{ states: unknown[] }>("GET", `${place.doc}/states`);
    expect(after.states.length).toBe(before.states.length + 1);
  });

  test("columns that a table lacks are added on request", async () => {
    const csv = "Name,Shoe size\nMax,44\n";
    const refused = await importing("?table=Crew", "x.csv", csv);
    expect([refused.status, refused.body]).toMatchObject([400, { details: { code: "column.unknown" } }]);
    const { status, body } = await importing("?table=Crew&addColumns=1", "x.csv", csv);
    expect([status, body.tables[0].columns.at(-1)]).toMatchObject([
      200,
      { id: "Shoe_size", label: "Shoe size", type: "Numeric", kind: "new" },
    ]);
    await runSteps(server, [
      [
        "owner",
        "GET",
        `${place.doc}/tables/Crew/records?filter=${encodeURIComponent('{"Name":["Max"]}')}`,
        undefined,
        200,
        { records: [{ fields: { Name: "Max", Shoe_size: 44 } }] },
      ],
    ]);
  });

  test("imports one of several tables by its name", async () => {
    const json = '{"a": [{"Name": "x"}], "b": [{"Name": "y"}]}';
    expect((await importing("?table=Crew", "x.json", json)).status).toBe(400);
    expect((await importing("?table=Crew&sheet=none", "x.json", json)).status).toBe(404);
    const { body } = await importing("?table=Crew&sheet=b&dryRun=1", "x.json", json);
    expect(body.tables).toMatchObject([{ name: "b", rows: 1 }]);
  });

  const refused: [query: string, name: string, bytes: () => Bytes, status: number][] = [
    ["?table=None", "a.csv", () => "a\n1\n", 404],
    ["?table=Crew", "a.csv", () => "other\n1\n", 400],
    ["", "a.csv", () => `a\n${"1,".repeat(2000)}1\n`, 400],
    ["", "a.grist", () => `SQLite format 3\0${"\0".repeat(4000)}`, 400],
    ["", "a.csv", () => `a\n${"1\n".repeat(200_001)}`, 413],
    ["", "a.txt", () => `a\n${"x".repeat(2_200_000)}`, 413],
  ];
  test.each(refused)("import%s of %s is refused, and leaves nothing behind", async (query, name, bytes, status) => {
    const before = await everything();
    const reply = await importing(query, name, bytes());
    expect({ status: reply.status, error: typeof reply.body.error }).toEqual({ status, error: "string" });
    expect(await everything()).toEqual(before);
  });

  test("a row that is refused reverts all of them", async () => {
    await server.must("POST", `${place.doc}/tables`, {
      tables: [{ id: "Links", columns: [{ id: "To", fields: { type: "Ref:Crew" } }] }],
    });
    const before = await everything();
    const rows = [...Array.from({ length: 600 }, () => ({ To: 1 })), { To: -5 }];
    const reply = await importing("?table=Links", "a.json", JSON.stringify(rows));
    expect(reply.status).toBe(400);
    expect(await everything()).toEqual(before);
    await runSteps(server, [["owner", "GET", `${place.doc}/tables/Links/records`, undefined, 200, { records: [] }]]);
  });

  test("applies access rules", async () => {
    const { doc } = await createDocumentFixture(server);
    await server.must("PATCH", `${doc}/access`, { delta: { users: { "Emil@example.com": "editors" } } });
    const columns = [{ id: "Name", fields: { type: "Text" } }];
    await server.must("POST", `${doc}/tables`, { tables: ["Open", "Shut", "Dark"].map((id) => ({ id, columns })) });
    await server.must("POST", `${doc}/apply`, [
      ["AddRecord", "_grist_ACLResources", -1, { tableId: "Shut", colIds: "*" }],
      ["AddRecord", "_grist_ACLResources", -2, { tableId: "Dark", colIds: "*" }],
      ...["-C", "-R"].map((permissionsText, at) => [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource: -1 - at, aclFormula: "user.Access != OWNER", permissionsText },
      ]),
    ]);
    const statusOf = async (table: string, as: Caller) =>
      (await send(as, `${doc}/import?table=${table}`, form("a.csv", "Name\nx\n"))).status;
    expect(await statusOf("Open", "editor")).toBe(200);
    expect([await statusOf("Shut", "editor"), await statusOf("Shut", "owner")]).toEqual([403, 200]);
    // Not even the report is returned.
    const dark = [
      await statusOf("Dark", "editor"),
      await statusOf("Dark&dryRun=1", "editor"),
      await statusOf("Dark", "owner"),
    ];
    expect(dark).toEqual([404, 404, 200]);
  });

  test("requires an editor", async () => {
    for (const as of ["viewer", "stranger", "anon", "badkey"] as const) {
      const reply = await importing("", "a.csv", "a\n1\n", as);
      expect([as, reply.status]).toEqual([as, as === "badkey" ? 401 : 403]);
    }
  });
});
