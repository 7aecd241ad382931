import { expect, test } from "bun:test";
import { takeChunks } from "../../../src/doc/cursors.ts";
import { dataChunks } from "../../../src/doc/read/data-chunks.ts";
import { isExactJson } from "../../../src/doc/read/exact-json.ts";
import { plainDataChunks } from "../../../src/doc/read/plain-data-chunks.ts";
import { findReadTable } from "../../../src/doc/read/read-table.ts";
import { MATCH_ALL } from "../../../src/doc/filters/sql-condition.ts";
import type { SqlValue } from "../../../src/sqlite/database.ts";
import { marshal } from "../../../src/values/marshal.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { sampleDocument } from "./sample.ts";

const TYPES = {
  Text: "Text",
  Choice: "Choice",
  Int: "Int",
  Numeric: "Numeric",
  Bool: "Bool",
  Date: "Date",
  Time: "DateTime:Europe/Riga",
  Ref: "Ref:Sample",
  List: "ChoiceList",
  Refs: "RefList:Sample",
  Any: "Any",
  'q"uote\n': "Text",
};

/** Texts whose JSON needs escapes, or whose bytes are not UTF-8. */
const TEXTS = [
  "",
  "a",
  "Malmö",
  "日本",
  "👩‍👩‍👧",
  '"',
  "\\",
  '\\"',
  "\n\r\t\b\f",
  "\0",
  "a\0b",
  "\u0001\u001f\u007f",
  "\u2028",
  "'",
  "1.5",
  "-7",
  "true",
  "null",
  "[1]",
  "\ud800",
];
const NUMBERS = [
  0,
  1,
  -1,
  7,
  42,
  1_700_000_000,
  999_999_999_999_999,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 62,
  1e16,
  0.1,
  1 / 3,
  -2.5,
  1e21,
  1e-7,
  5e-324,
  1.7976931348623157e308,
  Infinity,
  -Infinity,
  1_000_000_000_000_000,
];
const BLOBS = [
  marshal("1e"),
  marshal(1),
  marshal(true),
  marshal(["E", "ValueError", "no"]),
  marshal(Number.NaN),
  marshal(-0),
  Uint8Array.of(),
  Uint8Array.of(0xff, 0x22, 0x5c),
];
const KINDS = ["texts", "integers", "numbers", "bools", "mixed", "nulls"] as const;

function randomCell(random: Random, kind: (typeof KINDS)[number]): SqlValue {
  if (random.below(6) === 0) return null;
  switch (kind) {
    case "texts":
      return random.pick(TEXTS);
    case "integers":
      return random.pick([random.below(10), -random.below(1e6), random.below(2 ** 31)]);
    case "numbers":
      return random.pick(NUMBERS);
    case "bools":
      return random.below(2);
    case "mixed":
      return random.pick<SqlValue>([...TEXTS, ...NUMBERS, ...BLOBS]);
    case "nulls":
      return null;
    default:
      return kind satisfies never;
  }
}

const selection = { where: MATCH_ALL, order: { kind: "id", descending: false }, visibleRows: null } as const;

test.each(["coded", "typed"] as const)("%s cells rendered by SQLite are the bytes of JSON.stringify", (form) => {
  for (let seed = 0; seed < randomRuns(12, 400); seed++) {
    const random = new Random(seed);
    using document = sampleDocument([{ id: "Sample", columns: TYPES }]);
    const { db } = document;
    const ids = Object.keys(TYPES);
    const kinds = ids.map(() => random.pick(KINDS));
    const insert = `insert into Sample (id, ${ids.map((id) => `"${id.replaceAll('"', '""')}"`).join(",")}) values (?${",?".repeat(ids.length)})`;
    let id = -random.below(300);
    db.transaction(() => {
      for (let row = 0; row < random.below(1500); row++) {
        id += 1 + random.below(3) * random.below(3);
        db.run(insert, id, ...kinds.map((kind) => randomCell(random, kind)));
      }
      // Bytes that are not UTF-8, and values that the column would not store as such.
      if (random.below(4) === 0)
        db.run("update Sample set Text = cast(x'61ff62' as text) where id = (select min(id) from Sample)");
    });
    const limit = random.pick([Infinity, 0, 1, 128, 129, 700]);
    const table = findReadTable(document.schema, "Sample");
    const read = (chunks: typeof dataChunks) =>
      takeChunks(chunks({ db }, table, { form, selection: { ...selection, limit } }), Infinity).bytes;
    expect(Buffer.from(read(plainDataChunks)).toString("latin1")).toBe(
      Buffer.from(read(dataChunks)).toString("latin1"),
    );
  }
});

test.each([
  ["[]", true],
  ['[1,-20,null,"a.\\"b\\\\",true,false]', true],
  ["[1.5]", false],
  ["[9e999]", false],
  ["[999999999999999]", true],
  ["[1000000000000000]", false],
  ["[1e9]", false],
  ["[true,!]", false],
  ['["9999999999999999999","1.5"]', true],
])("%s is exact: %p", (json, isExact) => {
  expect(isExactJson(Buffer.from(json))).toBe(isExact);
});

test("text that is not UTF-8 is not exact", () => {
  expect(isExactJson(Buffer.from('["a\xff"]', "latin1"))).toBe(false);
});
