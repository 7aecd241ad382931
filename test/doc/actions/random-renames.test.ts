import { expect, test } from "bun:test";
import { Random } from "../../helpers/random.ts";
import { LIBRARY, RandomFormulas } from "./random-formulas.ts";
import { Scratch } from "./scratch.ts";

/** Every run tests a few formulas with a new seed; manual runs may test any number. */
const FORMULAS = Number(process.env["QUERN_TEST_SEQUENCES"] ?? 15);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

const TYPES: Readonly<Record<string, string>> = {
  Born: "Int",
  Price: "Numeric",
  Mentor: "Ref:Authors",
  Best: "Ref:Books",
  Author: "Ref:Authors",
  Sequel: "Ref:Books",
  Friends: "RefList:Authors",
  Readers: "RefList:Authors",
  Newest: "Any",
  Rival: "Any",
};

/** Formulas of columns of type Any that return records. */
const OWN_FORMULAS: Readonly<Record<string, string>> = {
  Newest: "Books.lookupOne(Author=rec, order_by='-Price')",
  Rival: "PREVIOUS(rec, order_by='Price', group_by=())",
};

const ROWS = {
  Authors: {
    Name: ["ann", "bo", "cy", ""],
    Born: [1970, 1980, 1970, 0],
    Mentor: [2, 3, 1, 0],
    Best: [1, 2, 3, 0],
    Friends: [["L", 2, 3], ["L", 1], null, null],
  },
  Books: {
    Title: ["A", "B", "C"],
    Name: ["x", "ann", "Name"],
    Price: [1, 2.5, 1970],
    Author: [1, 1, 2],
    Readers: [["L", 1], ["L", 3, 2], null],
    Sequel: [2, 3, 1],
  },
};

test(`formulas return the same results after renames (QUERN_TEST_SEED=${seed})`, () => {
  const random = new Random(seed);
  using scratch = new Scratch();
  const names = { Authors: "Authors", Books: "Books" };
  const owners = Array.from({ length: FORMULAS }, () => random.pick(["Authors", "Books"] as const));
  const formulas = owners.map((owner) => new RandomFormulas(random, owner).next());
  const columnsOf = (table: keyof typeof LIBRARY) => [
    ...Object.keys(LIBRARY[table]).map((id) => {
      const formula = OWN_FORMULAS[id] ?? "";
      return { id, type: TYPES[id] ?? "Text", isFormula: formula !== "", formula };
    }),
    ...formulas.flatMap((formula, i) =>
      owners[i] === table ? [{ id: `f${i}`, type: "Any", isFormula: true, formula }] : [],
    ),
  ];
  scratch.apply([
    ["AddTable", "Authors", columnsOf("Authors")],
    ["AddTable", "Books", columnsOf("Books")],
    ["BulkAddRecord", "Authors", [null, null, null, null], ROWS.Authors],
    ["BulkAddRecord", "Books", [null, null, null], ROWS.Books],
  ]);
  const results = () => formulas.map((_, i) => scratch.rows(names[owners[i] ?? "Books"], `f${i}`));
  const texts = () => owners.map((owner, i) => scratch.column(names[owner], `f${i}`)["formula"]);
  const before = results();
  const isError = (cell: unknown) => Array.isArray(cell) && cell[0] === "E";
  const failed = before.filter((rows) => Object.values(rows).some(([cell]) => isError(cell)));
  expect(failed.length).toBeLessThan(FORMULAS);

  scratch.apply([
    ...(["Authors", "Books"] as const).flatMap((table) =>
      Object.keys(LIBRARY[table]).map((id) => ["RenameColumn", table, id, `${id}Of${table}`] as const),
    ),
    ["RenameTable", "Authors", "Writers"],
    ["RenameTable", "Books", "Works"],
  ]);
  names.Authors = "Writers";
  names.Books = "Works";
  const told = (rows: unknown) =>
    JSON.stringify(rows).replaceAll(/"(Authors|Books)"/g, (_, name: "Books") => `"${names[name]}"`);
  const after = results();
  const renamed = texts();
  for (const [i, formula] of formulas.entries()) {
    expect([formula, renamed[i], told(after[i])]).toEqual([formula, renamed[i], told(before[i])]);
  }
});
