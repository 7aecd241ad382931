import { afterAll, describe, expect, test } from "bun:test";
import type { DocumentGrant } from "../../../src/authorization.ts";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { AppError } from "../../../src/errors.ts";
import { oneRecordVerbs } from "../../../src/hosts/verbs/one-record.ts";
import type { OutputArgs } from "../../../src/hosts/verbs/output-args.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import { ruledDocument } from "../rules/reading.ts";
import { grantOf, sampleDocument, type SampleTable, textOf } from "./sample.ts";

const TABLES: readonly SampleTable[] = [
  {
    id: "Countries",
    columns: { Name: "Text", Area: "Numeric" },
    widgetOptions: { Area: { numMode: "decimal" } },
    rows: [{ Name: "Norway", Area: 385_207 }, { Name: "Peru" }],
  },
  {
    id: "People",
    columns: { Name: "Text", Country: "Ref:Countries", Boss: "Ref:People", Friends: "RefList:People", Pay: "Int" },
    rows: [
      { Name: "Ann", Country: 1, Boss: 2, Friends: ["L", 2, 3], Pay: 1 },
      { Name: "Bob", Country: 2, Boss: 1, Pay: 2 },
      { Name: "Cid", Country: 9, Boss: 3, Friends: ["L", 9, 1], Pay: 3 },
      { Name: "Dan", Boss: 1, Friends: ["L", 2] },
    ],
  },
  {
    id: "Orders",
    columns: {
      Customer: "Ref:People",
      On: "Date",
      At: "DateTime:Asia/Tokyo",
      Price: "Numeric",
      Paid: "Bool",
      Tags: "ChoiceList",
      Any: "Any",
    },
    widgetOptions: { Price: { numMode: "currency", currency: "USD" }, On: { dateFormat: "DD.MM.YYYY" } },
    rows: [
      {
        Customer: 1,
        On: 86_400,
        At: 90_061.25,
        Price: 1234.5,
        Paid: true,
        Tags: ["L", "a", "b,c"],
        Any: ["L", ["d", 0], ["O", { a: ["R", "People", 3] }]],
      },
      { Customer: 3, On: "soon", Price: ["E", "ZeroDivisionError"], Any: ["D", 0, "Asia/Tokyo"] },
      { Customer: 0, Any: ["r", "People", [1, 2]] },
      { Customer: "Kim", Price: Infinity, Any: ["C"] },
    ],
  },
];

type Body = Record<string, unknown> & { records: { id: number; fields: unknown; errors?: unknown }[] };

/** Reads in all three ways, which must agree. */
function read(document: OpenDocument, table: string, output: OutputArgs, grant: DocumentGrant = grantOf("s")): Body {
  const bodyOf = (answer: Parameters<typeof textOf>[1]): Body => JSON.parse(textOf(document, answer)) as Body;
  const args = { table, hidden: false, typed: false, ...output };
  const fetched = bodyOf(readVerbs["records.fetch"].run(document, grant, args));
  const wanted = {
    ...output,
    fields: output.fields?.split(",").map((name) => name.trim()),
    expand: output.expand?.split(","),
  };
  const body = new TextEncoder().encode(JSON.stringify(wanted));
  expect(bodyOf(readVerbs["records.list"].run(document, grant, { table, body }))).toEqual(fetched);
  const single = fetched.records.map(({ id }) =>
    bodyOf(oneRecordVerbs["record.get"].run(document, grant, { ...args, row: String(id) })),
  );
  expect(single).toEqual(fetched.records as unknown as Body[]);
  return fetched;
}

const fieldsOf = (...args: Parameters<typeof read>) => read(...args).records.map(({ fields }) => fields);

function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof AppError) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

describe("without rules", () => {
  const document = sampleDocument(TABLES);
  afterAll(() => document.close());

  test.each<[fields: string, table: string, cellFormat: OutputArgs["cellFormat"], first: object]>([
    ["Name", "People", "normal", { Name: "Ann" }],
    ["Pay,Name", "People", "typed", { Pay: 1, Name: "Ann" }],
    ["id", "People", "normal", {}],
    ["manualSort", "People", "normal", { manualSort: 1 }],
    ["Name,Name", "People", "normal", { Name: "Ann" }],
    [" Name , Pay ", "People", "normal", { Name: "Ann", Pay: 1 }],
    ["Country.Name", "People", "normal", { "Country.Name": "Norway" }],
    ["Country,Country.Name", "People", "typed", { Country: ["R", "Countries", 1], "Country.Name": "Norway" }],
    ["Country.id", "People", "normal", { "Country.id": 1 }],
    ["Country.Area", "People", "display", { "Country.Area": "385,207" }],
    ["Boss.Country.Name", "People", "normal", { "Boss.Country.Name": "Peru" }],
    ["Boss.Boss.Country.Name", "People", "normal", { "Boss.Boss.Country.Name": "Norway" }],
    ["Friends.Name", "People", "normal", { "Friends.Name": ["L", "Bob", "Cid"] }],
    ["Friends.Name", "People", "iso", { "Friends.Name": ["Bob", "Cid"] }],
    ["Friends.Name", "People", "display", { "Friends.Name": "Bob, Cid" }],
    ["Friends.Country.Name", "People", "iso", { "Friends.Country.Name": ["Peru", null] }],
    ["Customer.Friends.Name", "Orders", "iso", { "Customer.Friends.Name": ["Bob", "Cid"] }],
  ])("fields=%s of %s, %s", (fields, table, cellFormat, first) => {
    expect(fieldsOf(document, table, { fields, cellFormat })[0]).toEqual(first);
  });

  test("a path from an empty cell, a missing row or a text is empty", () => {
    const fields = "Customer.Name";
    expect(fieldsOf(document, "Orders", { fields })).toEqual(
      ["Ann", "Cid", null, null].map((name) => ({ "Customer.Name": name })),
    );
    expect(fieldsOf(document, "Orders", { fields, cellFormat: "display" })[2]).toEqual({ "Customer.Name": "" });
    expect(fieldsOf(document, "People", { fields: "Country.Name" })[2]).toEqual({ "Country.Name": null });
    expect(fieldsOf(document, "People", { fields: "Friends.Name" })[1]).toEqual({ "Friends.Name": ["L"] });
    expect(fieldsOf(document, "People", { fields: "Friends.Name" })[2]).toEqual({ "Friends.Name": ["L", "Ann"] });
  });

  test.each<[output: OutputArgs, code: string]>([
    [{ fields: "Nope" }, 'column.unknown: Invalid column "Nope"'],
    [{ fields: "Name,," }, 'column.unknown: Invalid column ""'],
    [{ fields: "Country.Nope" }, 'column.unknown: Invalid column "Country.Nope"'],
    [{ fields: "Nope.Name" }, 'column.unknown: Invalid column "Nope.Name"'],
    [{ fields: "Name.Name" }, 'column.unknown: Invalid column "Name.Name"'],
    [{ fields: "Country." }, 'column.unknown: Invalid column "Country."'],
    [{ fields: "Boss.Boss.Nope" }, 'column.unknown: Invalid column "Boss.Nope"'],
    [{ fields: "Boss.Boss.Boss.Boss.Name" }, "fields.invalid: A path in fields can have at most 3 references"],
    [{ expand: "Nope" }, 'column.unknown: Invalid column "Nope"'],
    [{ expand: "Name" }, 'fields.invalid: expand must name references: "Name" is not a reference'],
    [{ expand: "Boss.Boss.Boss" }, "fields.invalid: expand can have at most 2 levels"],
    [
      { expand: Array.from({ length: 21 }, () => "Boss").join(",") },
      "fields.invalid: expand can have at most 20 references",
    ],
  ])("%j is refused: %s", (output, code) => {
    const args = { table: "People", hidden: false, typed: false, ...output };
    expect(codeOf(() => readVerbs["records.fetch"].run(document, grantOf("s"), args))).toBe(code);
    expect(codeOf(() => oneRecordVerbs["record.get"].run(document, grantOf("s"), { ...args, row: "1" }))).toBe(code);
  });

  const norway = { id: 1, fields: { Name: "Norway", Area: 385_207 } };
  const bob = { Name: "Bob", Country: 2, Boss: 1, Friends: null, Pay: 2 };

  test.each<[output: OutputArgs, first: object]>([
    [
      { fields: "Name", expand: "Country" },
      { Name: "Ann", Country: norway },
    ],
    [{ fields: "id", expand: "Boss" }, { Boss: { id: 2, fields: bob } }],
    // Ann's boss is Bob, whose boss is Ann.
    [{ fields: "id", expand: "Boss.Boss" }, { Boss: { id: 2, fields: { ...bob, Boss: { id: 1 } } } }],
    [
      { fields: "id", expand: "Boss.Country", cellFormat: "display" },
      { Boss: { id: 2, fields: expect.objectContaining({ Country: { id: 2, fields: { Name: "Peru", Area: "0" } } }) } },
    ],
    [{ fields: "id", expand: "Friends" }, { Friends: [{ id: 2, fields: bob }, expect.objectContaining({ id: 3 })] }],
  ])("expanded: %j", (output, first) => {
    expect(fieldsOf(document, "People", output)[0]).toEqual(first);
  });

  test("records of the same answer are not cut within each other", () => {
    expect(fieldsOf(document, "People", { fields: "id", expand: "Boss.Boss,Friends.Boss" })[3]).toEqual({
      Boss: { id: 1, fields: expect.objectContaining({ Name: "Ann", Boss: { id: 2, fields: bob } }) },
      Friends: [{ id: 2, fields: { ...bob, Boss: { id: 1, fields: expect.objectContaining({ Name: "Ann" }) } } }],
    });
  });

  test("a record that refers to itself is cut, and missing records are empty", () => {
    expect(fieldsOf(document, "People", { fields: "id", expand: "Boss,Country,Friends" })[2]).toEqual({
      Boss: { id: 3 },
      Country: null,
      Friends: [expect.objectContaining({ id: 1 })],
    });
  });

  test.each<[cellFormat: "display" | "iso", records: object[]]>([
    [
      "iso",
      [
        {
          id: 1,
          fields: {
            Customer: 1,
            On: "1970-01-02",
            At: "1970-01-02T10:01:01.250+09:00",
            Price: 1234.5,
            Paid: true,
            Tags: ["a", "b,c"],
            Any: ["1970-01-01", { a: 3 }],
          },
        },
        {
          id: 2,
          fields: {
            Customer: 3,
            On: "soon",
            At: null,
            Price: null,
            Paid: false,
            Tags: [],
            Any: "1970-01-01T09:00:00+09:00",
          },
          errors: { Price: "ZeroDivisionError" },
        },
        { id: 3, fields: { Customer: null, On: null, At: null, Price: 0, Paid: false, Tags: [], Any: [1, 2] } },
        {
          id: 4,
          fields: { Customer: "Kim", On: null, At: null, Price: null, Paid: false, Tags: [], Any: null },
          errors: { Any: "Censored" },
        },
      ],
    ],
    [
      "display",
      [
        {
          id: 1,
          fields: {
            Customer: "People[1]",
            On: "02.01.1970",
            At: "1970-01-02 10:01am",
            Price: "$1,234.50",
            Paid: "true",
            Tags: 'a, "b,c"',
            Any: '1970-01-01, "{""a"": ""People[3]""}"',
          },
        },
        {
          id: 2,
          fields: {
            Customer: "People[3]",
            On: "soon",
            At: "",
            Price: "#DIV/0!",
            Paid: "false",
            Tags: "",
            Any: "1970-01-01 09:00:00+09:00",
          },
        },
        {
          id: 3,
          fields: { Customer: "", On: "", At: "", Price: "$0.00", Paid: "false", Tags: "", Any: "People[[1,2]]" },
        },
        {
          id: 4,
          fields: { Customer: "Kim", On: "", At: "", Price: "$∞", Paid: "false", Tags: "", Any: "CENSORED" },
        },
      ],
    ],
  ])("cellFormat=%s", (cellFormat, records) => {
    expect(read(document, "Orders", { cellFormat }).records).toEqual(records as Body["records"]);
  });

  test("many rows are read in parts, from one snapshot", () => {
    const rows = Array.from({ length: 3000 }, (_, at) => ({ Next: ((at + 1) % 3000) + 1, Text: "x".repeat(4000) }));
    const large = sampleDocument([{ id: "Long", columns: { Next: "Ref:Long", Text: "Text" }, rows }]);
    const args = { table: "Long", hidden: false, typed: false, fields: "Text,Next.id" };
    const answer = readVerbs["records.fetch"].run(large, grantOf("s"), args);
    expect(answer.kind).toBe("cursor");
    large.db.run("delete from Long where id = 2999");
    const { records } = JSON.parse(textOf(large, answer)) as Body;
    expect(records.map(({ fields }) => (fields as Record<string, unknown>)["Next.id"])).toEqual(
      rows.map(({ Next }) => Next),
    );
    large.close();
  });
});

describe("under rules", () => {
  const document = ruledDocument(TABLES, {
    "People:*": [{ formula: "user.Access != OWNER and rec.Name == 'Bob'", permissions: "-R" }],
    "People:Pay": [{ formula: "user.Access != OWNER", permissions: "-R" }],
    "People:Country": [{ formula: "user.Access != OWNER and rec.Name == 'Cid'", permissions: "-R" }],
    "Countries:*": [{ formula: "user.Access == VIEWER", permissions: "-R" }],
  });
  afterAll(() => document.close());
  const editor = grantOf("s", "editors");
  const viewer = grantOf("s", "viewers");

  test("hidden rows are empty references, hidden cells are marked", () => {
    expect(fieldsOf(document, "People", { fields: "Boss.Name,Friends.Name", cellFormat: "iso" }, editor)).toEqual([
      { "Boss.Name": null, "Friends.Name": ["Cid"] },
      { "Boss.Name": "Cid", "Friends.Name": ["Ann"] },
      { "Boss.Name": "Ann", "Friends.Name": [] },
    ]);
    expect(fieldsOf(document, "Orders", { fields: "Customer.Country.Name,Customer.Country" }, editor)).toEqual([
      { "Customer.Country.Name": "Norway", "Customer.Country": 1 },
      { "Customer.Country.Name": null, "Customer.Country": ["C"] },
      { "Customer.Country.Name": null, "Customer.Country": null },
      { "Customer.Country.Name": null, "Customer.Country": null },
    ]);
    expect(fieldsOf(document, "People", { fields: "Name", expand: "Boss,Friends" }, editor)[0]).toEqual({
      Name: "Ann",
      Boss: null,
      Friends: [{ id: 3, fields: { Name: "Cid", Country: ["C"], Boss: 3, Friends: ["L", 9, 1] } }],
    });
  });

  test("a table that is hidden as a whole has no columns, and its records are empty references", () => {
    expect(fieldsOf(document, "People", { fields: "Name", expand: "Country" }, viewer)[0]).toEqual({
      Name: "Ann",
      Country: null,
    });
  });

  test.each<[output: OutputArgs, path: string]>([
    [{ fields: "Pay" }, "Pay"],
    [{ fields: "Boss.Pay" }, "Boss.Pay"],
    [{ fields: "Country.Name" }, "Country.Name"],
    [{ fields: "Country.Nope" }, "Country.Nope"],
    [{ fields: "Country.id" }, "Country.id"],
  ])("%j is refused like a column that does not exist", (output, path) => {
    const args = { table: "People", hidden: false, typed: false, ...output };
    expect(codeOf(() => readVerbs["records.fetch"].run(document, viewer, args))).toBe(
      `column.unknown: Invalid column "${path}"`,
    );
  });
});
