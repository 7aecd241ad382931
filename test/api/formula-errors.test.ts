import { expect, test } from "bun:test";
import { sampleDocument, testApp } from "../helpers/app.ts";

test("lists cells whose formulas fail, with explanation and location", async () => {
  await using app = await testApp();
  const { doc } = await sampleDocument(app);
  const columns = [
    { id: "Name", fields: { type: "Text" } },
    { id: "N", fields: { type: "Int" } },
    { id: "Half", fields: { type: "Any", formula: "x = $N\nreturn 1 / x", isFormula: true } },
    { id: "Typo", fields: { type: "Any", formula: "$Nmae.upper()", isFormula: true } },
    { id: "Broken", fields: { type: "Any", formula: "1 +\n2", isFormula: true } },
    { id: "Fine", fields: { type: "Any", formula: "$N + 1", isFormula: true } },
  ];
  await app.must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Odd", columns }] });
  await app.must("POST", `/api/docs/${doc}/tables/Odd/records`, {
    records: [{ fields: { N: 0 } }, { fields: { N: 2 } }],
  });
  const all = await app.call("owner", "GET", `/api/docs/${doc}/formula-errors?table=Odd`);
  expect(all.status).toBe(200);
  expect(all.body).toEqual({
    formulas: [
      {
        table: "Odd",
        column: "Broken",
        error: "SyntaxError",
        message: expect.stringContaining("syntax error"),
        detail: expect.stringContaining("invalid syntax"),
        line: 1,
      },
    ],
    errors: [
      {
        table: "Odd",
        column: "Half",
        row: 1,
        error: "ZeroDivisionError",
        message: "A number is divided by zero.",
        detail: "division by zero",
        line: 2,
      },
      ...[1, 2].map((row) => ({
        table: "Odd",
        column: "Typo",
        row,
        error: "AttributeError",
        message: "The formula uses a column or attribute that does not exist.",
        detail: expect.stringContaining("Nmae"),
        line: 1,
      })),
      ...[1, 2].map((row) => ({
        table: "Odd",
        column: "Broken",
        row,
        error: "SyntaxError",
        message: expect.stringContaining("syntax error"),
        detail: expect.any(String),
        line: 1,
      })),
    ],
  });
  const some = await app.call("owner", "GET", `/api/docs/${doc}/formula-errors?limit=2`);
  expect(some.body.errors).toHaveLength(2);
  expect((await app.call("owner", "GET", `/api/docs/${doc}/formula-errors?limit=0`)).status).toBe(400);
  expect((await app.call("owner", "GET", `/api/docs/${doc}/formula-errors?table=Nowhere`)).status).toBe(404);
});

test("lists formulas with syntax errors even if there are no rows", async () => {
  await using app = await testApp();
  const { doc } = await sampleDocument(app);
  const formula = (text: string) => ({ type: "Any", formula: text, isFormula: true });
  const columns = [
    { id: "Open", fields: formula("x = 1\ny = (2\nreturn x") },
    { id: "Flat", fields: formula("if True:\nreturn 1") },
    { id: "Fine", fields: formula("1 / 0") },
  ];
  await app.must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Bare", columns }] });
  const path = `/api/docs/${doc}/formula-errors?table=Bare`;
  const { body } = await app.call("owner", "GET", path);
  expect(body.errors).toEqual([]);
  expect(body.formulas).toMatchObject([
    { table: "Bare", column: "Open", error: "SyntaxError", line: 3 },
    { table: "Bare", column: "Flat", error: "IndentationError", detail: "expected an indented block", line: null },
  ]);
  await app.must("PATCH", `/api/docs/${doc}/tables/Bare/columns`, {
    columns: ["Open", "Flat"].map((id) => ({ id, fields: { formula: "1" } })),
  });
  expect((await app.call("owner", "GET", path)).body).toEqual({ formulas: [], errors: [] });
});

test("visible columns come first, so that hidden ones do not use up the limit, and results can be filtered by column", async () => {
  await using app = await testApp();
  const { doc } = await sampleDocument(app);
  const path = `/api/docs/${doc}`;
  await app.must("POST", `${path}/tables`, {
    tables: [
      { id: "People", columns: [{ id: "Name", fields: { type: "Text" } }] },
      { id: "Orders", columns: [{ id: "Who", fields: { type: "Ref:People" } }] },
    ],
  });
  await app.must("POST", `${path}/tables/Orders/records`, {
    records: [{ fields: { Who: "x" } }, { fields: { Who: "y" } }],
  });
  // The hidden display column of the reference is evaluated before the others, and fails for texts.
  await app.must("POST", `${path}/apply`, [["SetDisplayFormula", "Orders", null, "Who", "$Who.Name.upper()"]]);
  await app.must("POST", `${path}/tables/Orders/columns`, {
    columns: ["Zero", "Other"].map((id) => ({ id, fields: { isFormula: true, type: "Any", formula: "1 / 0" } })),
  });
  const errors = async (query: string): Promise<string[]> => {
    const found = await app.must<{ errors: { column: string; row: number }[] }>(
      "GET",
      `${path}/formula-errors?${query}`,
    );
    return found.errors.map(({ column, row }) => `${column} ${row}`);
  };
  expect(await errors("table=Orders&limit=4")).toEqual(["Zero 1", "Zero 2", "Other 1", "Other 2"]);
  expect((await errors("")).slice(4)).toEqual(["gristHelper_Display 1", "gristHelper_Display 2"]);
  expect(await errors("column=Other")).toEqual(["Other 1", "Other 2"]);
  expect(await errors("column=Nothing")).toEqual([]);
});
