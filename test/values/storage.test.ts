import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { CellValue } from "../../src/values/cell.ts";
import { columnType, isKnownType, type StorableValue } from "../../src/values/column-type.ts";
import { marshal } from "../../src/values/marshal.ts";
import { TYPE_FAMILIES } from "../../src/values/type-registry.ts";

/** A name of every type. */
const TYPES = [...TYPE_FAMILIES.values()].map(({ base, argument }) =>
  argument === "required" ? `${base}:Other` : base,
);
TYPES.push("DateTime:Europe/Paris");

const COLUMNS: Record<string, [sqlType: string, sqlDefault: string, value: CellValue]> = {
  Any: ["BLOB", "NULL", null],
  Blob: ["BLOB", "NULL", null],
  Text: ["TEXT", "''", ""],
  Choice: ["TEXT", "''", ""],
  Numeric: ["NUMERIC", "0", 0],
  Int: ["INTEGER", "0", 0],
  Id: ["INTEGER", "0", 0],
  Bool: ["BOOLEAN", "0", false],
  Date: ["DATE", "NULL", null],
  DateTime: ["DATETIME", "NULL", null],
  "DateTime:Europe/Paris": ["BLOB", "NULL", null],
  ChoiceList: ["TEXT", "NULL", null],
  "Ref:Other": ["INTEGER", "0", 0],
  "RefList:Other": ["TEXT", "NULL", null],
  Attachments: ["TEXT", "NULL", null],
  PositionNumber: ["NUMERIC", "1e999", Infinity],
  ManualSortPos: ["NUMERIC", "1e999", Infinity],
};

test("every type has an SQL column type", () => {
  expect(new Set(TYPES)).toEqual(new Set(Object.keys(COLUMNS)));
  for (const [text, [sqlType, sqlDefault, value]] of Object.entries(COLUMNS)) {
    expect(columnType(text)).toMatchObject({ text, sqlType, sqlDefault, defaultValue: value });
  }
});

/** Values that any column may contain, whether or not they match its type. */
const VALUES: CellValue[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  2.5,
  1e21,
  5_000_000_000,
  -0,
  Infinity,
  NaN,
  "",
  "word",
  "12",
  " 12",
  "-x",
  "+1",
  ".5",
  "\t",
  "\f5",
  "1.50",
  "null",
  "[1,2]",
  "[",
  '["a"]',
  "né\u0000😀",
  ["L"],
  ["L", 1, 2],
  ["L", "a", "b"],
  ["L", "a", 1, null, ["L", true]],
  ["d", 86_400],
  ["D", 0.5, "Asia/Tokyo"],
  ["R", "Other", 2],
  ["r", "Other", [1, 2]],
  ["O", { a: 1, b: { c: "x" } }],
  ["E", "ValueError", "why"],
  ["U", "<x>"],
  ["P"],
  ["C"],
];

describe.each(TYPES)("%s", (name) => {
  const type = columnType(name);

  test("round-trips every value through SQLite", () => {
    const db = new Database(":memory:");
    db.run(`create table T (id integer primary key, v ${type.sqlType} default ${type.sqlDefault})`);
    const insert = db.query("insert into T (v) values (?)");
    for (const value of VALUES) insert.run(type.encode(value));
    const stored = db.query("select v from T order by id").values() as [StorableValue][];
    for (const [index, [v]] of stored.entries()) {
      const value = VALUES[index] ?? null;
      expect(type.decodeRaw(v)).toEqual(value);
    }
    db.close();
  });

  test("decodes infinities and NaN as null", () => {
    for (const value of [Infinity, -Infinity, NaN]) {
      expect(type.decode(type.encode(value))).toBeNull();
      expect(type.decodeRaw(type.encode(value))).toBe(value);
    }
  });

  test("uses its default in SQLite", () => {
    const db = new Database(":memory:");
    db.run(`create table T (id integer primary key, v ${type.sqlType} default ${type.sqlDefault})`);
    db.run("insert into T default values");
    const stored = db.query("select v from T").values()[0]?.[0] as StorableValue;
    expect(type.decodeRaw(stored)).toBe(type.defaultValue);
    db.close();
  });

  test("decodes null, texts and errors unchanged", () => {
    expect(type.decode(null)).toBeNull();
    expect(type.decode("word")).toBe("word");
    expect(type.decode(marshal("12"))).toBe("12");
    expect(type.decode(marshal(["E", "TypeError"]))).toEqual(["E", "TypeError"]);
    expect(type.decode(5n)).toBe(5);
  });

  test("is plain only if nothing but blobs needs decoding", () => {
    if (!type.isStoredPlain) return;
    for (const stored of [null, 0, 1, 2.5, "", "[1]", "12"]) expect(type.decode(stored)).toBe(stored);
  });

  test("displays malformed bytes", () => {
    expect(type.decode(Uint8Array.of(1, 39, 65))).toEqual(["U", "b'\\x01\\x27A'"]);
  });
});

const ENCODED: [type: string, value: CellValue, stored: StorableValue][] = [
  ["Text", "12", "12"],
  ["Text", 12, marshal(12)],
  ["Text", true, marshal(true)],
  ["Numeric", 2.5, 2.5],
  ["Numeric", Infinity, Infinity],
  ["Numeric", NaN, marshal(NaN)],
  ["Numeric", -0, marshal(-0)],
  ["Numeric", "abc", "abc"],
  ["Numeric", "", ""],
  ["Numeric", "1a", marshal("1a")],
  ["Int", "-", marshal("-")],
  ["Int", " x", marshal(" x")],
  ["Date", "\nx", marshal("\nx")],
  ["Date", "soon", "soon"],
  ["DateTime", ".x", marshal(".x")],
  ["DateTime:UTC", ".x", ".x"],
  ["Ref:Other", "+x", marshal("+x")],
  ["Bool", true, 1],
  ["Bool", false, 0],
  ["Bool", 1, marshal(1)],
  ["Bool", 0, marshal(0)],
  ["Bool", 2, 2],
  ["Bool", "0x", marshal("0x")],
  ["Any", true, marshal(true)],
  ["Any", "12", "12"],
  ["Any", 12, 12],
  ["Any", ["L", 1], marshal(["L", 1])],
  ["ChoiceList", ["L", "a", "b,c"], '["a","b,c"]'],
  ["ChoiceList", ["L"], "[]"],
  ["ChoiceList", ["L", "a", 1], marshal(["L", "a", 1])],
  ["ChoiceList", "[a", "[a"],
  ["ChoiceList", '["a"]', marshal('["a"]')],
  ["RefList:Other", ["L", 1, 2], "[1,2]"],
  ["RefList:Other", ["L"], "[]"],
  ["RefList:Other", ["L", "a"], marshal(["L", "a"])],
  ["Attachments", ["L", 3], "[3]"],
];

test.each(ENCODED)("%s: %j is stored exactly so", (name, value, stored) => {
  expect(columnType(name).encode(value)).toEqual(stored);
});

const DECODED: [type: string, stored: StorableValue, value: CellValue][] = [
  ["Bool", 1, true],
  ["Bool", 0, false],
  ["Bool", 2, 2],
  ["Int", 1, 1],
  ["Bool", marshal(true), true],
  ["Bool", marshal(1), 1],
  ["ChoiceList", '["a"]', ["L", "a"]],
  ["ChoiceList", "[a", "[a"],
  ["ChoiceList", marshal(["L", "a"]), ["L", "a"]],
  ["RefList:Other", "[1,2]", ["L", 1, 2]],
  ["RefList:Other", marshal(["L", 1, 2]), ["L", 1, 2]],
  ["Text", "[1,2]", "[1,2]"],
  ["Text", marshal(3), 3],
  ["Numeric", marshal(NaN), null],
  ["Any", marshal(["L", 2n ** 40n]), ["L", 2 ** 40]],
  ["Any", marshal({ a: 1 }), ["U", '{"a":1}']],
];

test.each(DECODED)("%s: %p reads %j", (name, stored, value) => {
  expect(columnType(name).decode(stored)).toEqual(value);
});

const TYPED: [type: string, value: CellValue, typed: CellValue][] = [
  ["Numeric", 1, 1],
  ["Bool", true, true],
  ["Date", 86_400, ["d", 86_400]],
  ["Date", null, null],
  ["Date", "soon", "soon"],
  ["Date", Infinity, ["d", Infinity]],
  ["DateTime:Asia/Tokyo", 5, ["D", 5, "Asia/Tokyo"]],
  ["DateTime", 5, ["D", 5, "UTC"]],
  ["DateTime:Nowhere/Land", 5, ["D", 5, "UTC"]],
  ["DateTime:Asia/Tokyo", null, null],
  ["Ref:Other", 0, ["R", "Other", 0]],
  ["Ref:Other", "x", "x"],
  ["Ref:Other", null, null],
  ["RefList:Other", null, ["r", "Other", []]],
  ["RefList:Other", ["L", 2], ["r", "Other", [2]]],
  ["RefList:Other", "x", "x"],
  ["Attachments", ["L", 2], ["r", "_grist_Attachments", [2]]],
  ["ChoiceList", null, ["L"]],
  ["ChoiceList", ["L", "a"], ["L", "a"]],
  ["ChoiceList", "a", "a"],
  ["Date", ["E", "TypeError"], ["E", "TypeError"]],
  ["RefList:Other", ["E", "TypeError"], ["E", "TypeError"]],
];

test.each(TYPED)("%s: %j typed is %j", (name, value, typed) => {
  expect(columnType(name).typed(value)).toEqual(typed);
});

test("recognizes type names", () => {
  for (const name of [...TYPES, "DateTime:", "DateTime:Nowhere"]) expect(isKnownType(name)).toBe(true);
  for (const name of ["", "text", "Ref", "Ref:", "RefList:", "Text:x", "Nonsense", "__proto__", "Any "]) {
    expect(isKnownType(name)).toBe(false);
  }
});

test("unknown types behave as Any, under their own name", () => {
  expect(columnType("Nonsense")).toMatchObject({
    text: "Nonsense",
    base: "Nonsense",
    sqlType: "BLOB",
    defaultValue: null,
  });
});

test("caches types", () => {
  expect(columnType("Ref:People")).toBe(columnType("Ref:People"));
  expect(columnType("Ref:People")).toMatchObject({ base: "Ref", target: "People" });
});
