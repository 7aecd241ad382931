import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createClientFixture, HOSTILE, type ClientFixture, type CommandOptions } from "../helpers/client-fixture.ts";

let fixture: ClientFixture;
beforeAll(async () => {
  fixture = await createClientFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe("records are printed as", () => {
  test("a table", async () => {
    expect((await fixture.list("Orders")).out).toBe(
      [
        "id  Item    Amount  Due         Paid   Tags",
        "──  ──────  ──────  ──────────  ─────  ────────",
        " 1  Bell        12  2026-05-01  true   new, red",
        " 2  Chain        7  2026-06-01  false",
        " 3  Saddle     130              false",
        "",
      ].join("\n"),
    );
  });

  test.each<[name: string, args: string[], out: string]>([
    [
      "CSV",
      ["--format", "csv", "--limit", "1"],
      'id,Item,Amount,Due,Paid,Tags\r\n1,Bell,12,2026-05-01,true,"[""new"",""red""]"\r\n',
    ],
    [
      "JSON",
      ["--format", "json", "--limit", "2", "--fields", "Item,Due"],
      '[\n  {"id":1,"fields":{"Item":"Bell","Due":"2026-05-01"}},\n  {"id":2,"fields":{"Item":"Chain","Due":"2026-06-01"}}\n]\n',
    ],
    [
      "NDJSON",
      ["--format", "ndjson", "--fields", "Amount", "--sort", "-Amount"],
      '{"id":3,"fields":{"Amount":130}}\n{"id":1,"fields":{"Amount":12}}\n{"id":2,"fields":{"Amount":7}}\n',
    ],
    [
      "normal cells",
      ["--format", "ndjson", "--fields", "Due,Tags", "--limit", "1", "--cell-format", "normal"],
      '{"id":1,"fields":{"Due":1777593600,"Tags":["L","new","red"]}}\n',
    ],
    ["no JSON", ["--format", "json", "--limit", "0"], "[]\n"],
  ])("%s", async (_, args, out) => {
    expect(await fixture.list("Orders", ...args)).toMatchObject({ status: 0, out, err: "" });
  });

  test.each<[format: string, out: string]>([
    ["table", "id  A  B\n──  ─  ─\n"],
    ["csv", "id,A,B\r\n"],
    ["json", "[]\n"],
    ["ndjson", ""],
  ])("%s of an empty table", async (format, out) => {
    expect(await fixture.list("Empty", "--format", format)).toMatchObject({ status: 0, out, err: "" });
  });

  test("errors of formulas by their names", async () => {
    expect((await fixture.list("Failing", "--format", "csv")).out).toBe("id,X\r\n1,#ZeroDivisionError\r\n");
  });
});

describe("conditions", () => {
  test.each<[args: string[], items: string[]]>([
    [["--where", "Item=Bell"], ["Bell"]],
    [
      ["--where", "Item!=Bell"],
      ["Chain", "Saddle"],
    ],
    [["--where", "Amount>=12", "--where", "Amount<130"], ["Bell"]],
    [["--where", "Amount > 12"], ["Saddle"]],
    [["--where", "Amount<=7"], ["Chain"]],
    [["--where", "Item~AI"], ["Chain"]],
    [["--where", "Due="], ["Saddle"]],
    [
      ["--where", "Due!="],
      ["Bell", "Chain"],
    ],
    [["--where", "Due>2026-05-10"], ["Chain"]],
    [["--where", "Paid=true"], ["Bell"]],
    [
      ["--filter", '{"Amount": [7, 130]}'],
      ["Chain", "Saddle"],
    ],
    [["--filter", '{"Amount": [7, 130]}', "--where", "Item=Saddle"], ["Saddle"]],
    [["--where", "id=2"], ["Chain"]],
  ])("%j", async (args, items) => {
    const { out, err } = await fixture.list("Orders", "--format", "json", ...args);
    expect(err).toBe("");
    expect((JSON.parse(out) as { fields: { Item: string } }[]).map(({ fields }) => fields.Item)).toEqual(items);
  });
});

describe("hostile cells", () => {
  // oxlint-disable-next-line no-control-regex -- what a terminal must not get
  const HARMFUL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/;

  test.each(["table", "csv", "json", "ndjson"])("do not reach a terminal as %s", async (format) => {
    const { out } = await fixture.quern(["records", "list", fixture.uuid, "Hostile", "--format", format], {
      columns: 80,
    });
    expect(out).not.toMatch(HARMFUL);
    expect(out).toContain("red");
  });

  test("stay one line each in a table, also in a file", async () => {
    const { out } = await fixture.list("Hostile");
    expect(out).not.toMatch(HARMFUL);
    expect(out.split("\n").slice(2, -1)).toEqual([
      " 1  \\e[31mred\\e[0m\\u{9b}2J",
      " 2  one\\ntwo\\r\\nthree",
      ' 3  a, "b", c',
      " 4  =1+1",
      " 5  abc\\u{202e}def",
      " 6  日本語 👩‍👩‍👧",
    ]);
  });

  test.each(["json", "ndjson", "csv"] as const)("are unchanged in a file of %s", async (format) => {
    const { out } = await fixture.list("Hostile", "--format", format);
    expect(await parsed(format, out)).toEqual(Object.values(HOSTILE));
  });

  test("get an apostrophe in CSV only with --escape-formulas", async () => {
    expect((await fixture.list("Hostile", "--format", "csv", "--where", "id=4")).out).toBe("id,Text\r\n4,=1+1\r\n");
    const { out } = await fixture.list("Hostile", "--format", "csv", "--where", "id=4", "--escape-formulas");
    expect(out).toBe("id,Text\r\n4,'=1+1\r\n");
  });

  async function parsed(format: "json" | "ndjson" | "csv", text: string): Promise<unknown[]> {
    if (format === "csv") {
      const { parse } = await import("csv-parse/sync");
      return parse(text, { columns: true }).map((row) => (row as { Text: string }).Text);
    }
    const rows =
      format === "json"
        ? (JSON.parse(text) as unknown[])
        : text
            .trimEnd()
            .split("\n")
            .map((line): unknown => JSON.parse(line));
    return (rows as { fields: { Text: string } }[]).map(({ fields }) => fields.Text);
  }
});

test("a table fits into the terminal, with wide characters", async () => {
  const { out } = await fixture.quern(["records", "list", fixture.uuid, "Orders"], { columns: 36 });
  const lines = out.trimEnd().split("\n");
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(36);
  expect(out).toContain("…");
  const wide = await fixture.quern(["records", "list", fixture.uuid, "Hostile", "--where", "id=6"], { columns: 12 });
  expect(wide.out.split("\n")[2]).toBe(" 6  日本語 …");
});

test("the output ends quietly when its reader closes it", async () => {
  const { status, err, writes } = await fixture.quern(["records", "list", fixture.uuid, "Orders"], { closesAfter: 0 });
  expect({ status, err, writes }).toEqual({ status: 0, err: "", writes: 1 });
});

describe("SQL", () => {
  test.each<[args: string[], stdin: string, out: string]>([
    [
      ["select Item, Amount from Orders where Amount > ? order by 1", "--arg", "10"],
      "",
      "Item    Amount\n──────  ──────\nBell        12\nSaddle     130\n",
    ],
    [
      [
        "select ? as a, ? as b, ? as c, ? as d",
        "--arg",
        "07",
        "--arg",
        "null",
        "--arg",
        '"7"',
        "--arg",
        "true",
        "--format",
        "json",
      ],
      "",
      '[\n  {"fields":{"a":"07","b":null,"c":"7","d":1}}\n]\n',
    ],
    [["--format", "csv"], "select count(*) as n from Orders", "n\r\n3\r\n"],
    [["select Item from Orders where 0"], "", ""],
  ])("%j", async (args, stdin, out) => {
    expect(await fixture.quern(["sql", fixture.uuid, ...args], { stdin })).toMatchObject({ status: 0, out, err: "" });
  });
});

describe("refused:", () => {
  test.each<[name: string, status: number, args: () => string[], options: () => CommandOptions, err: RegExp]>([
    [
      "a wrong key",
      1,
      () => ["records", "list", fixture.uuid, "Orders"],
      () => ({ key: "0".repeat(40) }),
      /\(API key of http/,
    ],
    [
      "a caller without access",
      1,
      () => ["records", "list", fixture.uuid, "Orders"],
      () => ({ key: fixture.server.keys.stranger }),
      /No view access/,
    ],
    [
      "a viewer who adds",
      1,
      () => ["records", "add", fixture.uuid, "Orders", "Item=x"],
      () => ({ key: fixture.server.keys.viewer }),
      /access/i,
    ],
    [
      "an unknown document",
      1,
      () => ["records", "list", crypto.randomUUID(), "Orders"],
      () => ({}),
      /document not found/,
    ],
    [
      "an unknown table",
      1,
      () => ["records", "list", fixture.uuid, "orders"],
      () => ({}),
      /Table not found "orders"\nDid you mean Orders\?$/,
    ],
    [
      "a table unlike any",
      1,
      () => ["records", "list", fixture.uuid, "Invoices"],
      () => ({}),
      /\nTables: Table1, Orders, Hostile/,
    ],
    [
      "an id that leads to another path",
      2,
      () => ["records", "list", fixture.uuid, ".."],
      () => ({}),
      /No id or name can be \. or \.\./,
    ],
    [
      "an unknown column",
      1,
      () => ["records", "list", fixture.uuid, "Orders", "--where", "Amuont=1"],
      () => ({}),
      /Amuont.*\nDid you mean Amount\?$/,
    ],
    [
      "a condition without operator",
      2,
      () => ["records", "list", fixture.uuid, "Orders", "--where", "Amount"],
      () => ({}),
      /--where must be like 'Status=open'/,
    ],
    [
      "a filter that is no JSON",
      2,
      () => ["records", "list", fixture.uuid, "Orders", "--filter", "{"],
      () => ({}),
      /--filter must be a JSON object/,
    ],
    [
      "an unknown format",
      2,
      () => ["records", "list", fixture.uuid, "Orders", "--format", "xml"],
      () => ({}),
      /--format must be one of table, csv, json, ndjson$/,
    ],
    [
      "a limit in words",
      2,
      () => ["records", "list", fixture.uuid, "Orders", "--limit", "few"],
      () => ({}),
      /--limit must be a whole number/,
    ],
    ["a statement that writes", 1, () => ["sql", fixture.uuid, "delete from Orders"], () => ({}), /^quern sql: /],
    [
      "a timeout in words",
      2,
      () => ["sql", fixture.uuid, "select 1", "--timeout", "soon"],
      () => ({}),
      /--timeout must be milliseconds/,
    ],
    [
      "a server that does not answer",
      3,
      () => ["records", "list", fixture.uuid, "Orders"],
      () => ({ url: "http://127.0.0.1:1" }),
      /does not answer: connection refused$/,
    ],
  ])("%s", async (_, status, args, options, err) => {
    const ran = await fixture.quern(args(), options());
    expect([ran.status, ran.out]).toEqual([status, ""]);
    expect(ran.err).toMatch(err);
    expect(ran.err).not.toMatch(/[0-9a-f]{40}/);
  });
});
