/** Evaluates the example of each function of docs/functions.md in a row of the sample document. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../helpers/temp-folder.ts";
import { checkFormulas } from "./examples/formulas.ts";
import { startPageServer } from "./examples/page-server.ts";

const PAGE = "docs/functions.md";
/** `SELF_HYPERLINK` begins with it. */
const SETTINGS = { QUERN_PUBLIC_URL: "https://quern.example" };
const lines = readFileSync(join(import.meta.dir, "../..", PAGE), "utf8").split("\n");
const functions = lines.flatMap((line, i) => {
  const [, name] = /^\| `([A-Z0-9_]+)\(/.exec(line) ?? [];
  const [, formula = "", result = ""] = /`([^`]+)` → `([^`]+)` \|$/.exec(line) ?? [];
  return name === undefined ? [] : [{ name, formula, result, line: i + 1 }];
});

test("each function has an example that calls it", () => {
  expect(functions.length).toBeGreaterThan(140);
  expect(functions.filter(({ name, formula }) => !formula.includes(`${name}(`)).map(({ name }) => name)).toEqual([]);
});

test("the examples give the results that the page shows", async () => {
  const { server, call, variables } = await startPageServer(join(tempFolder(), "data"), SETTINGS);
  try {
    const text = functions.map(({ formula, result }) => `${formula} # → ${result}`).join("\n");
    const block = { page: PAGE, line: 0, language: "formula", attributes: {}, text };
    const problems = await checkFormulas(block, call, variables.DOC);
    expect(problems).toEqual([]);
  } finally {
    await server.stop();
  }
});
