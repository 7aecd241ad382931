import { chmodSync, readFileSync } from "node:fs";
import { expect, test } from "bun:test";
import { run } from "../../src/commands/run.ts";
import { Scratch } from "../doc/actions/scratch.ts";

async function recalculate(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await run({
    args: ["doc", "recalculate", ...args],
    env: {},
    stdin: () => Promise.resolve(""),
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    isOutputLost: async () => false,
    onStop() {},
    onReload() {},
    onUnhandledRejection() {},
    onUncaughtException() {},
  });
  return { status, out: out.join("\n"), err: err.join("\n") };
}

/** Creates a document in which some stored cells differ from their formulas. */
function wrongDocument(): string {
  using scratch = new Scratch();
  scratch.do("AddTable", "T", [
    { id: "A", type: "Int" },
    { id: "B", formula: "$A * 2", isFormula: true },
    { id: "Now", formula: "NOW()", isFormula: true },
    { id: "Later", formula: "str($Now)", isFormula: true },
  ]);
  scratch.do("BulkAddRecord", "T", [null, null], { A: [1, 2] });
  scratch.document.db.run("update T set B = 5 where id = 2");
  return scratch.document.path;
}

test("doc recalculate --check reports differing cells and changes nothing", async () => {
  const path = wrongDocument();
  const before = readFileSync(path);
  const checked = await recalculate("--check", path);
  expect(checked.status).toBe(1);
  expect(checked.out.split("\n")).toEqual([
    "T.B 2: stored 5, computed 4",
    "skipped because their results are volatile: T.Now, T.Later",
  ]);
  expect(checked.err).toContain("1 cell differs");
  expect(readFileSync(path).equals(before)).toBeTrue();
});

test("doc recalculate stores the results of formulas", async () => {
  const path = wrongDocument();
  expect(await recalculate(path)).toMatchObject({ status: 0, err: "" });
  expect(await recalculate("--check", path)).toMatchObject({ status: 0, out: expect.stringMatching(/ok$/) });
});

test("doc recalculate leaves read-only files unchanged", async () => {
  const path = wrongDocument();
  chmodSync(path, 0o444);
  const before = readFileSync(path);
  expect(await recalculate(path)).toMatchObject({ status: 1, err: expect.stringContaining("read-only") });
  expect(readFileSync(path).equals(before)).toBeTrue();
  expect(await recalculate("--check", path)).toMatchObject({ status: 1, err: expect.stringContaining("1 cell") });
});
