import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClientFixture, type ClientFixture } from "../helpers/client-fixture.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let fixture: ClientFixture;
beforeAll(async () => {
  fixture = await createClientFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe("records are added from", () => {
  const added = async () => {
    const { out } = await fixture.list("Added", "--format", "ndjson");
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number; fields: unknown });
    await fixture.server.must(
      "POST",
      `${fixture.doc}/tables/Added/records/delete`,
      rows.map(({ id }) => id),
    );
    return rows.map(({ fields }) => fields);
  };
  const TWO = [
    { Name: "a, b", Count: 1 },
    { Name: "ü", Count: null },
  ];

  test("arguments", async () => {
    expect(await fixture.quern(["records", "add", fixture.uuid, "Added", "Name=x=y", "Count=12"])).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^Added record \d+\n$/),
      err: "",
    });
    expect(await added()).toEqual([{ Name: "x=y", Count: 12 }]);
  });

  test.each<[name: string, text: string, args: string[]]>([
    ["a JSON array", '[{"Name": "a, b", "Count": 1}, {"Name": "ü"}]', []],
    [
      "JSON of the API",
      '{"records": [\n{"id": 7, "fields": {"Name": "a, b", "Count": 1}}, {"fields": {"Name": "ü"}}]}',
      [],
    ],
    ["NDJSON", '{"Name": "a, b", "Count": 1}\n\n{"Name": "ü"}', []],
    ["NDJSON of records list", '{"id":7,"fields":{"Name":"a, b","Count":1}}\r\n{"id":8,"fields":{"Name":"ü"}}\r\n', []],
    ["CSV", 'Name,Count\r\n"a, b",1\r\nü,\r\n', []],
    ["CSV with a byte order mark, and ids", '\ufeffid,Name,Count\n7,"a, b",1\n8,ü,\n', []],
    ["a format that is named", 'Name,Count\n"a, b",1\nü,\n', ["--format", "csv"]],
  ])("%s", async (_, text, more) => {
    const args = ["records", "add", fixture.uuid, "Added", ...more];
    expect(await fixture.quern(args, { stdin: text })).toMatchObject({ status: 0, out: "Added 2 records\n", err: "" });
    expect(await added()).toEqual(TWO);
  });

  test("a file, as a job with the answer in JSON", async () => {
    const file = join(tempFolder(), "many.csv");
    const count = 2500;
    writeFileSync(
      file,
      `Name,Count\n${Array.from({ length: count }, (_, at) => `${"n".repeat(20)}${at},${at}\n`).join("")}`,
    );
    const { status, out, err } = await fixture.quern([
      "records",
      "add",
      fixture.uuid,
      "Added",
      "--file",
      file,
      "--json",
    ]);
    expect([status, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ status: "completed", lines: count, processed: count, skipped: 0 });
    const rows = await added();
    expect([rows.length, rows.at(-1)]).toEqual([count, { Name: `${"n".repeat(20)}2499`, Count: 2499 }]);
  }, 60_000);

  test("a stream that does not fit into memory at once", async () => {
    const name = "n".repeat(1000);
    const stdin = Array.from({ length: 5000 }, (_, at) => `{"Name":"${name}","Count":${at}}\n`).join("");
    expect(await fixture.quern(["records", "add", fixture.uuid, "Added"], { stdin })).toMatchObject({
      status: 0,
      out: "Added 5,000 records\n",
      err: "",
    });
    expect(await added()).toHaveLength(5000);
  }, 60_000);

  test.each<[name: string, text: string, args: string[], status: number, err: RegExp]>([
    ["a broken line", '{"Name": "a"}\n{"Name":', [], 1, /^quern records add: Line 2 is not a JSON object/],
    [
      "a broken line of a large stream",
      `${`{"Name":"${"n".repeat(2000)}"}\n`.repeat(3000)}{`,
      [],
      1,
      /Line 3001 is not a JSON object/,
    ],
    ["an array of numbers", "[1]", [], 1, /The input is not a JSON object/],
    ["no JSON", "[1", [], 1, /The input is not valid JSON$/],
    ["broken CSV", 'Name,Count\n"a,1\n', [], 1, /The input is not valid CSV/],
    ["rows of different lengths", "Name,Count\na\n", [], 1, /The input is not valid CSV/],
    ["nothing", "", [], 2, /The input has no records$/],
    ["an unknown column", "Nmae\na\n", [], 1, /Invalid column "Nmae".*\nDid you mean Name\?$/],
    ["an unknown column among arguments", "", ["Xyz=1"], 1, /Invalid column "Xyz".*\nColumns of Added: Name, Count$/],
    ["an argument without a value", "", ["Name"], 2, /^quern records add: Name is not like Column=value$/],
    ["values and a file", "", ["Name=1", "--file", "x"], 2, /cannot be combined/],
    ["a missing file", "", ["--file", "missing.csv"], 2, /file not found: missing\.csv$/],
    ["an unknown format", "", ["--format", "yaml"], 2, /--format must be one of csv, json, ndjson$/],
  ])(
    "not from %s",
    async (_, stdin, args, status, err) => {
      const ran = await fixture.quern(["records", "add", fixture.uuid, "Added", ...args], { stdin });
      expect([ran.status, ran.out]).toEqual([status, ""]);
      expect(ran.err).toMatch(err);
      expect((await fixture.list("Added", "--format", "ndjson")).out).toBe("");
    },
    30_000,
  );

  test("a job that skips lines, or stops at one", async () => {
    const stdin = '{"Name": "a"}\n{"Nmae": "b"}\n{"Name": "c"}\n';
    const skipping = await fixture.quern(["records", "add", fixture.uuid, "Added", "--on-error", "skip"], { stdin });
    expect(skipping).toMatchObject({ status: 0, out: "Added 2 records, skipped 1\n" });
    expect(skipping.err).toMatch(/^Record 2: .*Nmae/);
    expect(await added()).toHaveLength(2);
    const many = `${'{"Name":"a"}\n'.repeat(1500)}{"Nmae":"b"}\n`;
    const stopped = await fixture.quern(["records", "add", fixture.uuid, "Added"], { stdin: many });
    expect(stopped.status).toBe(1);
    expect(stopped.err).toMatch(/^quern records add: The job has failed\nRecord 1,501: .*Nmae/);
    await added();
  }, 60_000);
});

describe("records are exported", () => {
  test.each<[file: string, args: string[], text: string]>([
    ["orders.csv", ["--fields", "Item,Amount"], "id,Item,Amount\r\n1,Bell,12\r\n2,Chain,7\r\n3,Saddle,130\r\n"],
    ["orders.ndjson", ["--fields", "Item", "--where", "Amount>100"], '{"id":3,"fields":{"Item":"Saddle"}}\n'],
    ["orders.txt", ["--format", "csv", "--fields", "Item", "--limit", "1"], "id,Item\r\n1,Bell\r\n"],
  ])("to %s", async (file, args, text) => {
    const folder = tempFolder();
    const out = join(folder, file);
    const ran = await fixture.quern(["records", "export", fixture.uuid, "Orders", "--out", out, ...args]);
    expect(ran).toMatchObject({ status: 0, out: "" });
    expect(ran.err).toMatch(/^Wrote \d records to .*orders/);
    expect(readFileSync(out, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual([file]);
  });

  test("to a workbook, by a filter", async () => {
    const out = join(tempFolder(), "orders.xlsx");
    const args = ["records", "export", fixture.uuid, "Orders", "--out", out, "--where", "Item=Bell"];
    expect(await fixture.quern(args)).toMatchObject({ status: 0, out: "", err: `Wrote ${out}` });
    expect(readFileSync(out).subarray(0, 2).toString()).toBe("PK");
  });

  test("to stdout as CSV", async () => {
    const { out } = await fixture.quern([
      "records",
      "export",
      fixture.uuid,
      "Orders",
      "--fields",
      "Item",
      "--limit",
      "1",
    ]);
    expect(out).toBe("id,Item\r\n1,Bell\r\n");
  });

  test.each<[name: string, args: string[], status: number, err: RegExp]>([
    ["an unknown ending", ["--out", "orders.pdf"], 2, /--out must end with \.csv, /],
    ["a workbook to stdout", ["--format", "xlsx"], 2, /--format xlsx needs --out$/],
    ["a sorted workbook", ["--out", "orders.xlsx", "--sort", "Item"], 2, /--format xlsx has no --sort/],
    ["a folder that does not exist", ["--out", "missing/orders.csv"], 1, /missing/],
  ])("not to %s", async (_, args, status, err) => {
    const ran = await fixture.quern(["records", "export", fixture.uuid, "Orders", ...args]);
    expect([ran.status, ran.out]).toEqual([status, ""]);
    expect(ran.err).toMatch(err);
    expect(existsSync("orders.xlsx")).toBe(false);
  });

  test("an existing file stays when the export fails", async () => {
    const folder = tempFolder();
    const out = join(folder, "orders.csv");
    writeFileSync(out, "before");
    expect(await fixture.quern(["records", "export", fixture.uuid, "Order", "--out", out])).toMatchObject({
      status: 1,
    });
    expect([readFileSync(out, "utf8"), readdirSync(folder)]).toEqual(["before", ["orders.csv"]]);
  });
});
