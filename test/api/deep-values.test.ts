import { expect, test } from "bun:test";
import { sampleDocument, testApp } from "../helpers/app.ts";

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
