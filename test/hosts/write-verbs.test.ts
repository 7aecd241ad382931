import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { z } from "zod";
import { AppError } from "../../src/errors.ts";
import {
  parseAddedData,
  parseAddedRecords,
  parseModifiedData,
  parseModifiedRecords,
  parseRowIds,
  parseUpsertedRecords,
} from "../../src/hosts/verbs/record-bodies.ts";
import type { Verb } from "../../src/hosts/verbs/verb.ts";
import { writeVerbs } from "../../src/hosts/verbs/writes.ts";
import * as wire from "../../src/wire/tables/record-writes.ts";
import { Scratch } from "../doc/actions/scratch.ts";
import { decode, grantOf } from "../doc/read/sample.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  call("tables.add", {}, { tables: [{ id: "T", columns: [{ id: "A" }, { id: "N", fields: { type: "Int" } }] }] });
  call("records.add", { table: "T" }, { records: [{ fields: { A: "x", N: 1 } }, { fields: { A: "y", N: 2 } }] });
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

type Name = keyof typeof writeVerbs;

const bytesOf = (body: unknown): Uint8Array | null =>
  body === undefined ? null : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));

/** Returns the answer of a verb, with all flags off by default. */
function call(name: Name, args: object, body: unknown): unknown {
  const off = {
    noparse: false,
    flat: false,
    noadd: false,
    noupdate: false,
    allowEmptyRequire: false,
    replaceall: false,
  };
  const verb = writeVerbs[name] as Verb<object, { bytes: Uint8Array }>;
  const given = { ...off, ...args, body: bytesOf(body) };
  return JSON.parse(decode(verb.run(scratch.document, grantOf("doc", "editors"), given).bytes));
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return "none";
}

describe("answers", () => {
  const cases: [name: Name, args: object, body: unknown, answer: unknown][] = [
    [
      "records.add",
      { table: "T" },
      { records: [{}, { fields: { A: "z" } }], more: 1 },
      { records: [{ id: 3 }, { id: 4 }] },
    ],
    ["records.add", { table: "2" }, { records: [{ id: 9 }] }, { records: [{ id: 3 }] }],
    [
      "records.add",
      { table: "T", flat: true },
      [{ A: "q", id: 70 }, { fields: { N: 1 } }],
      { records: [{ id: 3 }, { id: 4 }] },
    ],
    ["records.modify", { table: "T" }, { records: [{ id: 2, fields: { N: 5 } }] }, null],
    ["records.modify", { table: "T" }, { records: [{ id: 99, fields: {} }] }, null],
    [
      "records.upsert",
      { table: "T" },
      {
        records: [
          { require: { A: "new" } },
          { require: { A: "x" }, fields: { N: 7 } },
          { require: { N: 2 }, fields: { A: "v" } },
        ],
      },
      { recordIds: [[3], [1], [2]], addRecordIds: [3], updateRecordIds: [[1], [2]] },
    ],
    [
      "records.upsert",
      { table: "T", allowEmptyRequire: true },
      { records: [{ require: {} }] },
      { recordIds: [], addRecordIds: [], updateRecordIds: [] },
    ],
    ["records.delete", { table: "T" }, [1, 1, 50], null],
    ["data.add", { table: "T" }, { A: ["p", "q"], N: [1, null] }, [3, 4]],
    ["data.add", { table: "T" }, { A: [] }, []],
    ["data.modify", { table: "T" }, { id: [1], A: ["p", "dropped"] }, [1]],
    ["data.modify", { table: "T" }, { id: [2] }, [2]],
    ["data.delete", { table: "T" }, [], null],
    [
      "tables.add",
      {},
      { tables: [{ columns: [{}] }, { id: "t", columns: [{ id: "q" }] }] },
      { tables: [{ id: "Table2" }, { id: "T2" }] },
    ],
    ["tables.modify", {}, { tables: [{ id: "T", fields: { tableRef: 2, onDemand: true } }] }, null],
    ["columns.add", { table: "T" }, { columns: [{ id: "a" }, {}] }, { columns: [{ id: "a2" }, { id: "B" }] }],
    ["columns.modify", { table: "T" }, { columns: [{ id: "A", fields: { label: "An A" } }] }, null],
    [
      "columns.put",
      { table: "T", replaceall: true },
      {
        columns: [
          { id: "A", fields: {} },
          { id: "C", fields: {} },
        ],
      },
      null,
    ],
    ["columns.delete", { table: "T", column: "N" }, undefined, null],
    ["actions.apply", {}, [], { actionNum: 0, actionHash: null, retValues: [], isModification: false }],
    [
      "actions.apply",
      {},
      [["Calculate"]],
      { actionNum: 0, actionHash: null, retValues: [null], isModification: false },
    ],
  ];
  for (const [name, args, body, answer] of cases) {
    test(`${name} ${JSON.stringify(body)}`, () => expect(call(name, args, body)).toEqual(answer));
  }

  test("actions have the numbers of the states they create", () => {
    const first = call("actions.apply", {}, [["AddRecord", "T", null, {}]]);
    expect(first).toMatchObject({ actionNum: 4, retValues: [3], isModification: true });
    expect(call("actions.apply", {}, [["UpdateRecord", "T", 1, { A: "x" }]])).toMatchObject({
      actionNum: 5,
      isModification: false,
    });
  });
});

describe("errors change nothing", () => {
  const T = { table: "T" };
  const cases: [code: string, name: Name, args: object, body: unknown][] = [
    ["invalid", "records.add", T, undefined],
    ["invalid", "records.add", T, "{broken"],
    ["invalid", "records.add", T, [{ fields: {} }]],
    ["invalid", "records.add", { table: "Nope" }, { records: [] }],
    ["notFound", "records.add", { table: "Nope" }, { records: [{}] }],
    ["notFound", "records.add", { table: "t" }, { records: [{}] }],
    ["invalid", "records.add", T, { records: [{ fields: { Nope: 1 } }] }],
    ["invalid", "records.add", T, '{"records":[{"fields":{"__proto__":1}}]}'],
    [
      "invalid",
      "records.modify",
      T,
      {
        records: [
          { id: 1, fields: { A: 1 } },
          { id: 2, fields: { N: 1 } },
        ],
      },
    ],
    [
      "invalid",
      "records.modify",
      T,
      {
        records: [
          { id: 1, fields: { N: 9 } },
          { id: 99, fields: { N: 9 } },
        ],
      },
    ],
    ["invalid", "records.upsert", { ...T, onmany: "some" }, { records: [{ require: { A: "x" } }] }],
    ["invalid", "records.upsert", T, { records: [{ require: { A: "x" } }, { require: { A: "x" } }] }],
    ["invalid", "records.delete", T, [1, "2"]],
    ["invalid", "data.add", T, {}],
    ["invalid", "data.add", T, { A: ["a"], N: [1, 2] }],
    ["invalid", "data.modify", T, { A: ["a"] }],
    ["invalid", "data.modify", T, { id: [1, 2], A: ["a"] }],
    ["invalid", "tables.add", {}, { tables: [{ id: "X", columns: [] }] }],
    [
      "invalid",
      "tables.add",
      {},
      {
        tables: [
          { id: "X", columns: [{}] },
          { id: "Y", columns: [{ fields: { type: "No" } }] },
        ],
      },
    ],
    ["invalid", "tables.modify", {}, { tables: [{ id: "T", fields: { tableRef: 9 } }] }],
    ["invalid", "tables.modify", {}, { tables: [{ id: "T", fields: { colour: 1 } }] }],
    ["notFound", "tables.modify", {}, { tables: [{ id: "Nope", fields: {} }] }],
    ["invalid", "columns.add", T, { columns: [{ id: 3 }] }],
    ["notFound", "columns.modify", T, { columns: [{ id: "Nope", fields: {} }] }],
    ["invalid", "columns.modify", T, { columns: [{ id: "A", fields: { id: "B" } }] }],
    ["invalid", "columns.put", T, { columns: [{ id: "A" }] }],
    ["notFound", "columns.delete", { ...T, column: "a" }, undefined],
    ["notFound", "columns.delete", { ...T, column: "id" }, undefined],
    ["invalid", "columns.delete", { ...T, column: "manualSort" }, undefined],
    ["invalid", "actions.apply", {}, { action: "AddRecord" }],
    ["invalid", "actions.apply", {}, ["AddRecord"]],
    ["forbidden", "records.add", { table: "_grist_ACLRules" }, { records: [{}] }],
  ];
  for (const [code, name, args, body] of cases) {
    test(`${name} ${JSON.stringify(args)} ${JSON.stringify(body)}`, () => {
      const before = [scratch.content(), scratch.states()];
      expect(refusal(() => call(name, args, body))).toBe(code);
      expect([scratch.content(), scratch.states()]).toEqual(before);
    });
  }
});

/** Bodies are validated by hand, but documented by schemas: both must agree. */
describe("validation by hand and by schema", () => {
  const records = (...list: unknown[]) => ({ records: list });
  const bodies: unknown[] = [
    {},
    [],
    [1],
    [1.5],
    ["1"],
    [null],
    { records: null },
    records(),
    records(null),
    records("x"),
    records([]),
    records({}),
    records({ fields: {} }),
    records({ fields: null }),
    records({ fields: [] }),
    records({ fields: { A: 1, B: "x", C: true, D: null, E: ["L", 1] } }),
    records({ fields: { A: {} } }),
    records({ id: 1, fields: {} }),
    records({ id: "1", fields: {} }),
    records({ id: 1 }),
    records({ fields: {} }),
    records({ require: {} }),
    records({ require: null }),
    records({ require: { A: 1 }, fields: { B: 2 } }),
    { A: [] },
    { A: [1], B: ["x"] },
    { A: 1 },
    { A: null },
    { id: [1], A: [1] },
    { id: ["1"], A: [1] },
    { id: 1 },
  ];
  const readers: [name: string, schema: z.ZodType, read: (bytes: Uint8Array | null) => unknown][] = [
    ["AddRecords", wire.AddRecordsBody, (bytes) => parseAddedRecords(bytes, { flat: false })],
    ["ModifyRecords", wire.ModifyRecordsBody, parseModifiedRecords],
    ["UpsertRecords", wire.UpsertRecordsBody, parseUpsertedRecords],
    ["RowIds", wire.RowIds, parseRowIds],
    ["AddData", wire.AddDataBody, parseAddedData],
    ["ModifyData", wire.ModifyDataBody, parseModifiedData],
  ];
  for (const [name, schema, read] of readers) {
    test(name, () => {
      for (const body of bodies) {
        // An object without columns matches the schema, but is an error.
        if (name === "AddData" && Object.keys(body as object).length === 0) continue;
        const byHand = refusal(() => read(bytesOf(body))) === "none";
        expect([body, byHand]).toEqual([body, schema.safeParse(body).success]);
      }
    });
  }
});
