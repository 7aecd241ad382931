import { describe, expect, test } from "bun:test";
import { GLOBALS } from "../../../src/formula/builtins/registry.ts";
import { BUILTINS, completeFormula } from "../../../src/web/pages/table/client/formula/complete-formula.ts";
import { caretIn, SCHEMA } from "./schema.ts";

function complete(written: string, isExplicit = false, isTrigger = false) {
  const [text, caret] = caretIn(written);
  const found = completeFormula(text, caret, { schema: SCHEMA, isExplicit, isTrigger });
  return found && { typed: text.slice(found.from, caret), inserts: found.options.map(({ insert }) => insert) };
}

describe("suggestions", () => {
  test.each<[string, string, string[]]>([
    ["$|", "$", ["$Customer", "$Amount", "$Lines"]],
    ["1 + $am|", "$am", ["$Amount"]],
    // By the label.
    ["$total|", "$total", ["$Amount"]],
    ["$Customer.|", "", ["Name", "Company"]],
    ["$Customer.Na|", "Na", ["Name"]],
    ["$Customer.Company.|", "", ["City"]],
    ["$Customer .Company . |", "", ["City"]],
    ["rec.|", "", ["Customer", "Amount", "Lines"]],
    ["rec.Customer.Company.|", "", ["City"]],
    ["$Lines.|", "", ["Price", "Item"]],
    ["$Lines.Item.|", "", ["City"]],
    ["$Lines[0].Item.|", "", ["City"]],
    ["SUM($Lines.|)", "", ["Price", "Item"]],
    ["Customers.|", "", ["lookupRecords(", "lookupOne(", "all"]],
    ["Customers.lookupO|", "lookupO", ["lookupOne("]],
    ["Customers.all.|", "", ["Name", "Company"]],
    ["table.all.|", "", ["Customer", "Amount", "Lines"]],
    ["Customers.lookupOne(Name='a)(').|", "", ["Name", "Company"]],
    ["Customers.lookupRecords(Name=UPPER(TRIM($Amount))).Company.|", "", ["City"]],
    ["Customers.lookupOne(|", "", ["Name=", "Company=", "order_by="]],
    ["Customers.lookupOne(Na|", "Na", ["Name="]],
    ["x = 1\n$cust|", "$cust", ["$Customer"]],
  ])("at %s", (written, typed, inserts) => {
    const found = complete(written);
    expect(found?.typed).toBe(typed);
    expect(found?.inserts.slice(0, inserts.length)).toEqual(inserts);
  });

  test.each([
    "",
    "'$|'",
    '"""a\n$|',
    "f'{$|",
    "# $|",
    "1|",
    "1.|",
    "$Amount.|",
    "$Nope.|",
    "Nope.|",
    "x.|",
    "foo().|",
    "|",
    "$Customer.Company.City.|",
  ])("there are none at %s", (written) => {
    expect(complete(written.includes("|") ? written : "|")).toBeNull();
  });

  test("a second condition does not repeat the first, in names of the typed text", () => {
    expect(complete("Customers.lookupOne(Name='a', |", true)?.inserts.slice(0, 2)).toEqual(["Company=", "order_by="]);
    expect(complete("Customers.lookupOne(Name=|", true)?.inserts).not.toContain("Company=");
  });

  test("of a word are columns, tables, functions and names of Python", () => {
    expect(complete("am|")?.inserts).toContain("$Amount");
    expect(complete("cust|")?.inserts.slice(0, 2)).toEqual(["$Customer", "Customers"]);
    expect(complete("all cust|")?.inserts).toContain("Customers");
    expect(complete("SU|")?.inserts).toContain("SUM(");
    expect(complete("su|")?.inserts).toEqual(expect.arrayContaining(["SUM(", "sum"]));
    expect(complete("|", true)?.inserts.length).toBeGreaterThan(100);
  });

  test("of formulas that fill in data are the former value and the user", () => {
    const offered = (written: string) => complete(written, false, true)?.inserts ?? [];
    expect(offered("val|")).toContain("value");
    expect(offered("use|")).toContain("user");
    expect(offered("user.|")).toEqual(["Name", "Email", "UserID", "Access"]);
    expect(offered("user.E|")[0]).toBe("Email");
    expect(offered("$Customer.|").slice(0, 2)).toEqual(["Name", "Company"]);
    // Other formulas do not know them.
    expect(complete("val|")?.inserts).not.toContain("value");
    expect(complete("user.|")).toBeNull();
  });

  test("have names of data as text", () => {
    const [text, caret] = caretIn("Hostile.all.con|");
    const [option] = completeFormula(text, caret, { schema: SCHEMA, isExplicit: false })?.options ?? [];
    expect(option).toMatchObject({ insert: "constructor", shown: `"><script>window.wasRun=1</script>` });
    expect(complete("__proto|")).toBeNull();
    expect(complete("__proto__.|")).toBeNull();
    expect(complete("$__proto__.|")).toBeNull();
  });

  test("are found quickly in long formulas", () => {
    const start = performance.now();
    for (const part of ["(", "$a.b[", "x.y(", "'", "((a.b)", "f(a,"]) {
      completeFormula(part.repeat(20_000), 20_000, { schema: SCHEMA, isExplicit: true });
    }
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

test("the names of Python exist in formulas", () => {
  expect(BUILTINS.filter((name) => !GLOBALS.has(name))).toEqual([]);
});
