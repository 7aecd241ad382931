import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import { parseSchemaFile } from "../../src/exchange/schema-file/parse-schema-file.ts";
import type { Problem } from "../../src/exchange/schema-file/problems.ts";

function refusal(source: unknown): unknown {
  try {
    parseSchemaFile(source);
    return "accepted";
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { problems } = (error.details ?? {}) as { problems?: Problem[] };
    return problems ? problems.slice(0, 3).map(({ path, line, message }) => [path, line, message]) : error.reason;
  }
}

const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x]",
  ..."bcdefghi".split("").map((name, at) => {
    const former = "abcdefgh"[at];
    return `${name}: &${name} [${`*${former}, `.repeat(9).slice(0, -2)}]`;
  }),
].join("\n");

describe("a schema file is refused", () => {
  test.each<[name: string, source: unknown, problems: unknown]>([
    [
      "with aliases that expand",
      bomb,
      [
        ["", 1, "anchors are not allowed"],
        ["", 2, "anchors are not allowed"],
        ["", 2, "aliases are not allowed"],
      ],
    ],
    ["with an anchor", "version: &v 1\n", [["", 1, "anchors are not allowed"]]],
    ["with a merge key", "version: 1\n<<: {access: {}}\n", [["<<", 2, "unknown property"]]],
    ["with a key twice", "version: 1\ntables: {}\ntables: {}\n", [["", 3, "Map keys must be unique"]]],
    ["with a tag", "version: !!js/function x\n", [["", 1, expect.stringMatching(/tag/i)]]],
    ["with a directive", "%YAML 1.1\n---\nversion: 1\n", [["", undefined, "directives are not allowed"]]],
    ["with several documents", "version: 1\n---\nversion: 1\n", [["", 2, expect.stringMatching(/multiple documents/)]]],
    ["that is nested deeply", `version: 1\ntables: ${"[".repeat(4000)}`, [["", 2, "nested too deeply"]]],
    ["with many dashes", `${"- ".repeat(100_000)}x`, [["", 1, "nested too deeply"]]],
    ["with many question marks", `${"? ".repeat(100_000)}x`, [["", 1, "nested too deeply"]]],
    [
      "that is indented deeply",
      Array.from({ length: 1400 }, (_, at) => `${" ".repeat(at)}a:\n`).join(""),
      [["", 202, "nested too deeply"]],
    ],
    ["that is nested very deeply", "{".repeat(100_000), expect.anything()],
    ["that is nested in JSON", `{"version":1,"tables":${'{"a":'.repeat(3000)}1${"}".repeat(3000)}}`, expect.anything()],
    ["that is too long", `# ${"x".repeat(2_000_000)}`, "limit.size"],
    ["that is empty", "", expect.anything()],
    ["that is a list", "- 1\n", expect.anything()],
    ["of another version", "version: 2\n", [["version", 1, "must be 1"]]],
    [
      "with several problems",
      "version: 1\ntables:\n  Tea:\n    id: 7\n    colums: {}\n    columns:\n      A: {id: A, type: Text, choices: [1]}\n",
      [
        ["tables.Tea.id", 4, "must be an id"],
        ["tables.Tea.columns.A.choices.0", 7, "must be text; put it in quotes"],
        ["tables.Tea.colums", 5, "unknown property"],
      ],
    ],
    [
      "with a key that is no name",
      'version: 1\ntables: {"a b": {id: A, columns: {}}}\n',
      [["tables.a b", 2, expect.stringMatching(/must be a key/)]],
    ],
    ["with a prototype as key", 'version: 1\ntables: {"__proto__": {id: A, columns: {}}}\n', expect.anything()],
    ["as a value of another form", { version: 1, tables: [] }, [["tables", undefined, expect.any(String)]]],
  ])("%s", (_, source, problems) => {
    const found = refusal(source);
    expect(found).not.toBe("accepted");
    expect(found).toEqual(problems as never);
  });
});

test("names that objects have are keys like others", () => {
  const source = "version: 1\ntables: {constructor: {id: A, columns: {toString: {id: B, type: Text}}}}\n";
  expect(Object.keys(parseSchemaFile(source).file.tables ?? {})).toEqual(["constructor"]);
});
