/** Answers of queries, run in this process. */
import { afterAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { QueryJob } from "../../src/sql/query-job.ts";
import { type QueryOutput, runQuery } from "../../src/sql/run-query.ts";
import { type Answer, jobOf, sampleFile } from "./sample.ts";

const { folder, path, server } = sampleFile();
afterAll(() => server.close());

function ask(statement: string, more: Partial<QueryJob> = {}): Answer {
  const pieces: string[] = [];
  expect(runQuery(jobOf(path, statement, more), { begin() {}, put: (piece) => pieces.push(piece) })).toBe(true);
  return JSON.parse(pieces.join("")) as Answer;
}
const rows = (statement: string, more?: Partial<QueryJob>) => ask(statement, more).records.map(({ fields }) => fields);
const refusal = (statement: string, more?: Partial<QueryJob>): { code: string; message: string } => {
  try {
    ask(statement, more);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("it was not refused");
};

describe("rows", () => {
  test("follow the statement as sent, in order", () => {
    const statement = " select Name\nfrom People order by id desc;";
    expect(ask(statement)).toEqual({
      statement,
      records: [{ fields: { Name: "" } }, { fields: { Name: "Bob" } }, { fields: { Name: "Ada" } }],
    });
    expect(ask("select 1 where 0")).toEqual({ statement: "select 1 where 0", records: [] });
  });

  test("are complete when there are many", () => {
    const found = rows("select a.id as n, b.Text from Big a, Big b where b.id <= 20 order by a.id, b.id");
    expect(found).toHaveLength(40_000);
    expect(found[39_999]).toEqual({ n: 2000, Text: "row 20" });
  });

  test("include only committed data", () => {
    server.run("begin immediate");
    server.run("insert into People (Name) values ('Eve')");
    expect(rows("select count(*) as n from People")).toEqual([{ n: 3 }]);
    server.run("rollback");
  });
});

test("rows with and without bytes keep their order, whatever the names of columns", () => {
  const statement = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
    select i as "b", case i % 7 when 0 then x'0102' when 1 then null when 2 then i / 8.0 else 'é"' || i end as "a" from n`;
  const expected = Array.from({ length: 5000 }, (_, at) => {
    const i = at + 1;
    const cells = [{ type: "Buffer", data: [1, 2] }, null, i / 8];
    return { b: i, a: i % 7 < 3 ? cells[i % 7] : `é"${i}` };
  });
  expect(JSON.stringify(rows(statement))).toBe(JSON.stringify(expected));
  const ordered: string[] = [];
  runQuery(jobOf(path, 'select 1 as b, 2 as "1", 3 as a'), { begin() {}, put: (piece) => ordered.push(piece) });
  expect(ordered.join("")).toContain('{"b":1,"1":2,"a":3}');
});

test("columns have SQLite's names; duplicates get a suffix", () => {
  expect(rows("select count(*), max(Age), 1, 'x' as \"y z\", ? from People")).toEqual([
    { "count(*)": 3, "max(Age)": 41.5, "1": 1, "y z": "x", "?": null },
  ]);
  expect(Object.keys(rows("select a.id, b.id, c.ID from People a, People b, People c limit 1")[0] ?? {})).toEqual([
    "id",
    "id:1",
    "ID:2",
  ]);
  expect(JSON.stringify(rows(`select 1 as "__proto__", 2 as toString`))).toBe('[{"__proto__":1,"toString":2}]');
});

test("double quotes contain a name, or else a string", () => {
  expect(rows('select "Name" as a, "Nobody" as b from People where id = 1')).toEqual([{ a: "Ada", b: "Nobody" }]);
});

test("values of every type", () => {
  expect(
    rows(`select null as n, 1 as i, -0.5 as r, 2.0 as whole, 1e999 as inf, 9007199254740993 as large, 1 = 1 as b,
      x'00ff' as blob, x'' as none, 'é"\\' || char(10) as t, char(97, 0, 98) as nul`),
  ).toEqual([
    {
      n: null,
      i: 1,
      r: -0.5,
      whole: 2,
      inf: null,
      large: 9007199254740992,
      b: 1,
      blob: { type: "Buffer", data: [0, 255] },
      none: { type: "Buffer", data: [] },
      t: 'é"\\\n',
      nul: "a\0b",
    },
  ]);
});

test("a blob made by the statement stays a blob, whatever its bytes", () => {
  expect(rows("select x'750100000041' as a")).toEqual([{ a: { type: "Buffer", data: [117, 1, 0, 0, 0, 65] } }]);
});

describe("args", () => {
  test("are positional and keep their type", () => {
    expect(
      rows(
        "select ?, typeof(?1) as a, typeof(?) as b, typeof(?) as c, typeof(?) as d, typeof(?) as e, typeof(?) as f",
        {
          args: [5, 2.5, "5", null, true, 3_000_000_000],
        },
      ),
    ).toEqual([{ "?": 5, a: "integer", b: "real", c: "text", d: "null", e: "integer", f: "real" }]);
    expect(rows("select ?2 as second, ?1 as first, :x as x, :x as again", { args: [1, 2, false] })).toEqual([
      { second: 2, first: 1, x: 0, again: 0 },
    ]);
    expect(rows("select :x as x, ? as y, @z as z, ?5 as five", { args: ["a", "b", "c", "d", "e"] })).toEqual([
      { x: "a", y: "b", z: "c", five: "e" },
    ]);
  });

  test("are values, never SQL; missing ones are NULL, excess ones an error", () => {
    expect(rows("select id from People where Name = ?", { args: ["x' or '1'='1"] })).toEqual([]);
    expect(rows("select ? as a, :b as b", { args: [1] })).toEqual([{ a: 1, b: null }]);
    expect(refusal("select 1", { args: [1] }).message).toBe("The statement takes 0 args, but 1 were given");
    expect(refusal("select ?", { args: [1, 2] }).code).toBe("invalid");
  });

  test("get the affinity of the column", () => {
    expect(rows("select id from People where Age = ?", { args: ["41.5"] })).toEqual([{ id: 2 }]);
  });
});

describe("rejects with a clear message", () => {
  test.each([
    ["select * from Nope", "The statement cannot be run: no such table: Nope"],
    ["select Nope from People", "The statement cannot be run: no such column: Nope"],
    ["select nope(1)", "The statement cannot be run: no such function: nope"],
    ["selec 1, (select 2)", 'The statement cannot be run: near "1": syntax error'],
    ["select json('{')", "The statement cannot be run: malformed JSON"],
    ["select abs(-9223372036854775807 - 1)", "The statement cannot be run: integer overflow"],
    ["select zeroblob(1000000000)", "The statement, or a string or blob in it, is too large"],
    ["select * from _quern_outbox", "The statement reads data that queries cannot access"],
    ["select load_extension('x')", "The statement reads data that queries cannot access"],
    ["select 1 limit 'x'", "The statement cannot be run: datatype mismatch"],
  ])("%s", (statement, message) => {
    expect(refusal(statement)).toMatchObject({ code: "invalid", message });
  });

  test("a long name in SQLite's message is truncated", () => {
    expect(refusal(`select ${"x".repeat(5000)}`).message.length).toBeLessThan(400);
  });
});

describe("limits of the answer", () => {
  test("rows", () => {
    expect(rows("select id from Big limit 10", { maxRows: 10 })).toHaveLength(10);
    expect(refusal("select id from Big limit 11", { maxRows: 10 }).message).toStartWith("The result exceeds 10 rows");
  });

  test("bytes, of many rows and of one value", () => {
    expect(rows("select Text from Big", { maxBytes: 100_000 })).toHaveLength(2000);
    const large = [
      "select Text from Big",
      "select hex(zeroblob(30000))",
      "select zeroblob(30000)",
      "select printf('%.*c', 49999, 'é') from Big limit 1",
      "select char(1, 1, 1, 1) || printf('%.*c', 16000, char(1))",
    ];
    for (const statement of large) {
      expect(refusal(statement, { maxBytes: 50_000 }).message).toStartWith("The result exceeds 50000 bytes");
    }
  });
});

describe("tables", () => {
  test("of the document, its metadata and the schema table are readable, internal ones are not", () => {
    expect(rows("select tableId from _grist_Tables where id = 1")).toEqual([{ tableId: "People" }]);
    expect(rows("select name from sqlite_master where type = 'table' order by name")).toEqual([
      { name: "Big" },
      { name: "People" },
      { name: "_grist_Tables" },
    ]);
    expect(rows("select name from pragma_table_info('People') where pk")).toEqual([{ name: "id" }]);
    expect(rows("select sqlite_schema.name as n from sqlite_schema where tbl_name like '%quern%'")).toEqual([]);
  });

  test("a foreign key to an internal table is hidden", () => {
    expect(rows("select m.name, i.name as c from sqlite_master m, pragma_table_info(m.name) i where i.pk")).toEqual([
      { name: "People", c: "id" },
      { name: "Big", c: "id" },
      { name: "_grist_Tables", c: "id" },
    ]);
  });
});

describe("reads nothing", () => {
  const never: QueryOutput = { begin: () => expect.unreachable(), put: () => expect.unreachable() };

  test("from a file that the server does not have open", () => {
    const closed = join(folder, "closed.grist");
    const db = new Database(closed, { create: true });
    db.run("create table T (a)");
    db.close();
    expect(runQuery(jobOf(closed, "select 1"), never)).toBe(false);
    expect(runQuery(jobOf(join(folder, "none.grist"), "select 1"), never)).toBe(false);
  });

  test("from a damaged file", async () => {
    const damaged = join(folder, "damaged.grist");
    await Bun.write(damaged, "SQLite format 3\0".padEnd(8192, "x"));
    expect(() => runQuery(jobOf(damaged, "select 1"), never)).toThrow(expect.objectContaining({ code: "damaged" }));
  });
});
