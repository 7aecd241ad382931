import { expect, test } from "bun:test";
import { findNameReferences } from "../../../src/formula/names/reference-finder.ts";
import { applyNameReplacement } from "../../../src/formula/names/apply-name-replacement.ts";
import type { DocumentTables } from "../../../src/formula/names/walk-context.ts";

const page = await Bun.file(`${import.meta.dir}/../../../docs/renames.md`).text();

const columns = (types: Record<string, string>) => ({
  columnById: new Map(Object.entries(types).map(([id, type]) => [id, { type, isFormula: false, formula: "" }])),
});

const TABLES: DocumentTables = {
  tableById: new Map([
    ["People", columns({ Name: "Text", Boss: "Ref:People", Friends: "RefList:People", group: "RefList:People" })],
    ["Pets", columns({ Name: "Text", Owner: "Ref:People", Friends: "RefList:People", group: "RefList:People" })],
  ]),
};

const renamed = (formula: string, owner: string) =>
  applyNameReplacement(formula, findNameReferences(formula, owner, TABLES), {
    table: "People",
    column: "Name",
    to: "Title",
  });

const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("updates every expression that the page documents as updated", () => {
  const rows = page.split("\n").flatMap((line) => {
    const [, before, after] = /^\| (`.*) \| (`.*) \|$/.exec(line) ?? [];
    return before !== undefined && after !== undefined ? [{ before, after }] : [];
  });
  expect(rows.length).toBeGreaterThan(7);
  for (const { before, after } of rows) {
    // The first row is about the table itself.
    const owner = before.includes("itself") ? "People" : "Pets";
    const formulas = codeIn(before.replace(/ in `People` itself/, ""));
    expect(formulas.map((formula) => renamed(formula, owner))).toEqual(codeIn(after));
  }
});

test("leaves every expression that the page documents as not updated", () => {
  const [, list = ""] = page.split("## Expressions that are not updated\n");
  const formulas = codeIn(list).filter((code) => /[.(*]/.test(code));
  expect(formulas.length).toBeGreaterThan(4);
  for (const formula of formulas) {
    const text = formula.startsWith("**") ? `f(${formula})` : formula;
    expect(renamed(text, "People")).toBe(text);
  }
});
