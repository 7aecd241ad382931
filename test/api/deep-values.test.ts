import { expect, test } from "bun:test";
import { sampleDocument, testApp } from "../helpers/app.ts";

const FORMULAS = [
  ["lists", "x = [x]"],
  ["tuples", "x = (x,)"],
  ["dicts", "x = {'a': x}"],
  ["lists and dicts", "x = [{'a': x}]"],
] as const;

test.each(FORMULAS)(
  "a result of %s nested 900 deep is an error of its cell, at the limit it is stored",
  async (_, step) => {
    await using app = await testApp();
    const { doc } = await sampleDocument(app);
    const table = await app.must<{ tables: { id: string }[] }>("POST", `/api/docs/${doc}/tables`, {
      tables: [{ id: "Deep", columns: [{ id: "N", fields: { type: "Int" } }] }],
    });
    expect(table.tables).toHaveLength(1);
    const formula = `x = 1\nfor _ in range($N):\n  ${step}\nreturn x`;
    await app.must("POST", `/api/docs/${doc}/apply`, [
      ["AddColumn", "Deep", "Result", { isFormula: true, type: "Any", formula }],
    ]);
    const depths = Array.from({ length: 50 }, (_, at) => at * 20 + 10);
    await app.must("POST", `/api/docs/${doc}/tables/Deep/records`, {
      records: depths.map((N) => ({ fields: { N } })),
    });
    const { records } = await app.must<{ records: { fields: Record<string, unknown>; errors?: unknown }[] }>(
      "GET",
      `/api/docs/${doc}/tables/Deep/records`,
    );
    expect(records[0]?.fields["Result"]).toBeArray();
    expect(records.at(-1)?.errors).toEqual({ Result: "RecursionError" });
  },
);

const VALUES: readonly [name: string, wrap: (inner: unknown) => unknown][] = [
  ["lists", (inner) => ["L", inner]],
  ["dicts", (inner) => ["O", { a: inner }]],
  ["lists and dicts", (inner) => ["L", ["O", { a: inner }]]],
  ["plain objects", (inner) => ({ a: inner })],
];

test.each(VALUES)("values of %s nested too deeply are refused with 400, never with 500", async (_, wrap) => {
  await using app = await testApp();
  const { doc } = await sampleDocument(app);
  await app.must("POST", `/api/docs/${doc}/apply`, [
    ["AddTable", "Deep", [{ id: "Any", isFormula: false, type: "Any" }]],
    ["AddRecord", "Deep", null, {}],
  ]);
  const statuses = new Map<number, number>();
  let value: unknown = 1;
  for (let depth = 1; depth <= 520; depth++) {
    value = wrap(value);
    if (depth % 20) continue;
    const { status } = await app.call("owner", "POST", `/api/docs/${doc}/apply`, [
      ["UpdateRecord", "Deep", 1, { Any: value }],
    ]);
    statuses.set(depth, status);
  }
  expect(new Set(statuses.values())).toEqual(new Set([200, 400]));
  expect(statuses.get(60)).toBe(200);
  expect(statuses.get(520)).toBe(400);
});
