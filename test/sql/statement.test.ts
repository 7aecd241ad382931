/** Parsing a statement before SQLite sees it. */
import { describe, expect, test } from "bun:test";
import { parseStatement } from "../../src/sql/statement.ts";
import { cpuMs } from "../helpers/cpu-time.ts";

const read = (text: string) => parseStatement(text);

describe("a statement is wrapped unchanged", () => {
  test.each([
    "select 1",
    "  SELECT\n 1 ",
    "with a as (select 1) select * from a",
    "/* first */ select 1",
    "-- first\nselect 1",
    "select ';' as a",
    `select 1 as ";"`,
    "select 1 as `;`",
    "select 1 as [;]",
    "select 1 /* ; */ as a",
    "select 1 -- ; )\n as a",
    "select 'it''s; )' as a",
    "select ')' , '(', x'00'",
    "select (((1)))",
  ])("%s", (text) => {
    expect(read(text).wrapped).toBe(`select * from (${text})`);
  });

  test.each(["", " ", " \t\r\n\f", " -- comment", "-- a ; b\n -- c", "/* ; */ ", "\n/**/-- /*\n"])(
    "except for a trailing semicolon and comments: %j",
    (rest) => {
      expect(read(`select 1${rest}`).wrapped.replace(/\s+\)$/, ")")).toBe("select * from (select 1)");
      expect(read(`select 1;${rest}`).wrapped).toBe("select * from (select 1)");
      expect(read(`select ';' ;${rest}`).wrapped).toBe("select * from (select ';')");
    },
  );

  test("after the prelude", () => {
    expect(parseStatement("select 1", "with a as (select 2) ").wrapped).toBe(
      "with a as (select 2) select * from (select 1)",
    );
  });
});

describe("rejects", () => {
  test.each([
    ["what has no select in it", "values (1)"],
    ["nothing", ""],
    ["two statements", "select 1; select 2"],
    ["a semicolon too many", "select 1;;"],
    ["two semicolons with a blank between them", "select 1; ;"],
    ["a statement after a semicolon and a comment", "select 1; -- a\nselect 2"],
    ["a statement after a semicolon and comments", "select 1; /* a */ select 2 /* b */"],
    ["a comment that stays open after the semicolon", "select 1; /* a"],
    ["a blank of another script after the semicolon", "select 1;\u00a0"],
    ["closing the wrapping bracket before a comment", "select 1) -- a"],
    ["a semicolon alone", ";"],
    ["closing the wrapping bracket", "select 1) union select * from (select 2"],
    ["closing it behind a comment", "select 1 -- (\n)"],
    ["closing it behind a text", "select '(')"],
    ["closing it behind a name", 'select 1 as "(")'],
    ["closing it behind a variable that has a bracket", "select $a(() ) , (1"],
    ["a bracket that stays open", "select (1"],
    ["a text that stays open", "select 'a"],
    ["a name that stays open", 'select "a'],
    ["a name in brackets that stays open", "select [a"],
    ["a comment that stays open", "select 1 /* a"],
    ["a character that ends texts", "select 1\0"],
  ])("%s", (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});

describe("parameters are counted like SQLite does", () => {
  test.each<[text: string, count: number, named: [string, number][]]>([
    ["select 1", 0, []],
    ["select ?, ?", 2, []],
    ["select ?2, ?1", 2, []],
    ["select ?7, ?", 8, []],
    [
      "select :a, @b, $c, :a, ?",
      4,
      [
        [":a", 1],
        ["@b", 2],
        ["$c", 3],
      ],
    ],
    ["select ?3, :a", 4, [[":a", 4]]],
    ["select '?', \"?\", [?], /* ? */ 1 -- ?\n", 0, []],
    ["select a$b, x?", 1, []],
    [
      "select $a::b(c;d), $é",
      2,
      [
        ["$a::b(c;d)", 1],
        ["$é", 2],
      ],
    ],
  ])("%s", (text, count, named) => {
    const found = read(text);
    expect(found.parameterCount).toBe(count);
    expect([...found.named]).toEqual(named);
  });
});

test("a long statement is parsed in linear time", () => {
  const ms = cpuMs(() => {
    read(`select '${"x".repeat(900_000)}'`);
    expect(() => read(`select ${"(".repeat(900_000)}`)).toThrow();
    expect(() => read(`select ${"/* ".repeat(300_000)}`)).toThrow();
    read(`select ${"'' ".repeat(300_000)}`);
    expect(() => read(`select 1;${"/* */".repeat(180_000)}x`)).toThrow();
    read(`select 1 ${"/* */".repeat(180_000)}`);
    expect(() => read(`select 1${"; ".repeat(400_000)}x`)).toThrow();
  });
  expect(ms).toBeLessThan(10_000);
});
