/** Scripts whose large literals are moved to compressed files behave like the original ones. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { embedLiterals, embedValue } from "../../scripts/embedded-literals.ts";
import { DATA_SCRIPTS } from "../../scripts/reduced-packages.ts";
import { en } from "../../src/web/texts/en.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const PACKAGES = join(import.meta.dir, "../../node_modules");

/** Makes a literal large enough to be moved. */
const FILLER = "x".repeat(20_000);

/** Transforms a script, runs it, and returns its exports. */
async function runReduced(source: string, extension: string): Promise<Record<string, unknown>> {
  const folder = tempFolder();
  const path = join(folder, `script${extension}`);
  await Bun.write(path, await embedLiterals(source, { folder, name: "data" }));
  return (await import(path)) as Record<string, unknown>;
}

/** Returns an array that has only the given elements. */
const withHoles = (length: number, elements: Readonly<Record<number, unknown>>): unknown =>
  Object.assign([], elements, { length });

const LITERALS: readonly (readonly [name: string, literal: string, value: () => unknown])[] = [
  [
    "an array of scalars",
    `[1, -2.5, "a\\u00e9", true, false, null, "${FILLER}"]`,
    () => [1, -2.5, "aé", true, false, null, FILLER],
  ],
  [
    "an object with names of all kinds",
    `{ a: 1, "b c": 2, 3: 4, d: { e: [] }, f: '${FILLER}' }`,
    () => ({ a: 1, "b c": 2, 3: 4, d: { e: [] }, f: FILLER }),
  ],
  [
    "arrays with elements that are left out",
    `[, [, , 1, , ], { a: [, 2] }, "${FILLER}"]`,
    () => withHoles(4, { 1: withHoles(4, { 2: 1 }), 2: { a: withHoles(2, { 1: 2 }) }, 3: FILLER }),
  ],
];

describe("a literal that is moved has the same value:", () => {
  test.each(LITERALS)("%s", async (_, literal, value) => {
    const reduced = await runReduced(`export const first = 1; export default ${literal};`, ".mjs");
    expect(reduced["default"]).toStrictEqual(value());
    expect(reduced["first"]).toBe(1);
  });

  test("several of one CommonJS script", async () => {
    const source = `exports.a = ["${FILLER}", 1]; exports.b = new Map([["k", "${FILLER}"]]); exports.c = () => exports.a[1] + 1;`;
    const { a, b, c } = await runReduced(source, ".cjs");
    expect([a, b, (c as () => number)()]).toEqual([[FILLER, 1], new Map([["k", FILLER]]), 2]);
  });

  test("data beside code", async () => {
    const { table } = (await runReduced(
      `let n = 7; exports.table = { run: () => n, data: ["${FILLER}"] };`,
      ".cjs",
    )) as {
      table: { run: () => number; data: unknown };
    };
    expect([table.run(), table.data]).toEqual([7, [FILLER]]);
  });
});

test.each([
  ["no large literal", `export default [1, 2];`, "contains no large literal"],
  ["a large literal that is no data", `export default [Date.now(), () => "${FILLER}"];`, "contains no large literal"],
  ["both null and elements that are left out", `export default [, null, "${FILLER}"];`, "has both null"],
])("a script with %s fails the build", async (_, source, message) => {
  expect(embedLiterals(source, { folder: tempFolder(), name: "data" })).rejects.toThrow(message);
});

test("the texts of pages are the same when they are read from a compressed file", async () => {
  const folder = tempFolder();
  const path = join(folder, "texts.mjs");
  await Bun.write(path, await embedValue({ en }, { folder, name: "data" }));
  expect(await import(path)).toMatchObject({ en });
});

interface Phones {
  getSupportedRegionCodes(): string[];
  getExample(region: string): unknown;
}

/** What a script does, as a value. */
const BEHAVIOUR: Readonly<Record<string, (script: Record<string, unknown>) => unknown>> = {
  "character-names": (script) => script["default"],
  "character-types": (script) => script["default"],
  "phone-numbers": (script) => {
    const phones = script["PhoneNumber$$module$src$index"] as Phones;
    return phones.getSupportedRegionCodes().map((region) => [region, phones.getExample(region)]);
  },
};

test.each(DATA_SCRIPTS)(
  "%s: the reduced script of the package does the same as the original",
  async (name, path) => {
    const original = (await import(join(PACKAGES, path))) as Record<string, unknown>;
    const reduced = await runReduced(
      await Bun.file(join(PACKAGES, path)).text(),
      path.includes("phone") ? ".cjs" : ".mjs",
    );
    const behaviour = BEHAVIOUR[name]?.(original);
    expect(JSON.stringify(behaviour).length).toBeGreaterThan(100);
    expect(BEHAVIOUR[name]?.(reduced)).toStrictEqual(behaviour);
  },
  60_000,
);
