/** Tests of the error codes: their form, and that each is in use. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError, invalid, notFound } from "../../src/errors.ts";
import { CODES, GENERAL_CODES, INTERNAL_CODE, kindOf, type ErrorCode, type Reason } from "../../src/errors/codes.ts";

const KINDS = Object.keys(CODES) as ErrorCode[];
const ALL = KINDS.flatMap((kind) => Object.keys(CODES[kind])) as Reason[];

test("codes are dotted snake_case, each belongs to one kind, the general code is the first of its kind", () => {
  expect(new Set(ALL).size).toBe(ALL.length);
  for (const code of [...ALL, INTERNAL_CODE]) expect(code).toMatch(/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/);
  for (const kind of KINDS) expect(Object.keys(CODES[kind])[0]).toBe(GENERAL_CODES[kind]);
});

test("the program uses every specific code", () => {
  const root = join(import.meta.dir, "../../src");
  const sources = [...new Bun.Glob("**/*.{ts,tsx}").scanSync({ cwd: root })]
    .filter((path) => path !== "errors/codes.ts")
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
  const general = new Set<string>(Object.values(GENERAL_CODES));
  expect(ALL.filter((code) => !general.has(code) && !sources.includes(`"${code}"`))).toEqual([]);
});

test("a refusal without a specific code has the general code of its kind; a code decides the kind", () => {
  expect(invalid("no")).toMatchObject({ code: "invalid", reason: "request.invalid" });
  expect(notFound("no", "table.not_found")).toMatchObject({ code: "notFound", reason: "table.not_found" });
  expect(new AppError("column.unknown", "no")).toMatchObject({ code: "invalid", reason: "column.unknown" });
  expect(new AppError("storage", "no")).toMatchObject({ code: "storage", reason: "storage.failed" });
  expect(kindOf("nothing.known")).toBeUndefined();
});
