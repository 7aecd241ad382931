import { describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { visibilityFor } from "../../../src/doc/read/visibility-filter.ts";
import { createVisibleRows } from "../../../src/doc/read/visible-rows.ts";
import { scanIds } from "../../../src/doc/read/row-scan.ts";
import { MATCH_ALL } from "../../../src/doc/filters/sql-condition.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { grantOf, type SampleTable } from "../read/sample.ts";
import { ruledDocument } from "./reading.ts";

const COLUMNS = {
  Name: "Text",
  Kind: "Choice",
  Part: "Int",
  Price: "Numeric",
  Paid: "Bool",
  On: "Date",
  At: "DateTime:Asia/Tokyo",
  Buyer: "Ref:Sales",
  Any: "Any",
  Tags: "ChoiceList",
};

/** Values that fit no type, and that types store in ways of their own. */
const STRAYS: readonly CellValue[] = [
  "7",
  "n/a",
  "",
  " 7",
  ["E", "ValueError"],
  ["L", 7],
  true,
  false,
  7,
  0,
  1,
  -0,
  1e17,
  null,
];

const CELLS: Readonly<Record<string, readonly CellValue[]>> = {
  Name: ["Oslo", "oslo", "", "7", "0", null],
  Kind: ["a", "b", "", null],
  Part: [0, 1, 7, -3, 2_147_483_647, null],
  Price: [0, 0.5, 7, -2.25, 1e300, 9_007_199_254_740_992, null],
  Paid: [true, false, null],
  On: [0, 86_400, 7, null],
  At: [0, 7, 86_400.5, null],
  Buyer: [0, 1, 7],
  Any: [0, 7, "7", "Oslo", true, null],
  Tags: [["L", "a"], ["L", "a", "b"], null],
};

const CONSTANTS = [
  "0",
  "1",
  "7",
  "-3",
  "0.5",
  "86400",
  '"Oslo"',
  '"7"',
  '""',
  '"a"',
  "None",
  "True",
  "False",
  "user.Email",
  "user.Access",
];
const OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "is", "is not"];

function randomFormula(random: Random, depth = 0): string {
  const column = () => `rec.${random.pick([...Object.keys(COLUMNS), "id"])}`;
  const constant = () => random.pick(CONSTANTS);
  const compared = (): string => {
    const [left, right] = random.below(4) === 0 ? [constant(), column()] : [column(), constant()];
    return `${left} ${random.pick(OPERATORS)} ${right}`;
  };
  if (depth < 2 && random.below(3) === 0) {
    const operator = random.pick(["and", "or"]);
    return `(${randomFormula(random, depth + 1)} ${operator} ${randomFormula(random, depth + 1)})`;
  }
  switch (random.below(6)) {
    case 0:
      return `${column()} ${random.pick(["in", "not in"])} [${Array.from({ length: 1 + random.below(3) }, constant).join(", ")}]`;
    case 1:
      return `not (${compared()})`;
    case 2:
      return random.pick([
        column(),
        'user.Access == "viewers"',
        `${column()} == ${column()}`,
        `${column()}.lower() == "oslo"`,
      ]);
    default:
      return compared();
  }
}

function randomTable(random: Random): SampleTable {
  const hasStrays = random.below(4) === 0;
  const rows = Array.from({ length: 1 + random.below(25) }, () =>
    Object.fromEntries(
      Object.entries(CELLS).map(([id, cells]) => [
        id,
        random.pick(hasStrays && random.below(8) === 0 ? STRAYS : cells),
      ]),
    ),
  );
  return { id: "Sales", columns: COLUMNS, rows };
}

/** The ids of the visible rows, as SQLite finds them (null where it cannot) and as the rules decide for each row. */
function visibleIds(document: OpenDocument): { bySql: number[] | null; byRules: number[] } | null {
  const visible = visibilityFor(document, grantOf("sample", "viewers")).readTable("Sales");
  if (!visible.rows) return null;
  const condition = visible.rows.whole();
  const { table } = visible;
  const order = { kind: "id", descending: false } as const;
  const all = { where: MATCH_ALL, order, limit: Number.POSITIVE_INFINITY };
  const byRules = scanIds(document, table, { ...all, visibleRows: createVisibleRows(visible) });
  if (!condition) return { bySql: null, byRules };
  return { bySql: scanIds(document, table, { ...all, where: condition, visibleRows: null }), byRules };
}

const documentWith = (table: SampleTable, formulas: readonly (readonly [formula: string, permissions: string])[]) =>
  ruledDocument([table], { "Sales:*": formulas.map(([formula, permissions]) => ({ formula, permissions })) });

describe("rows that rules show, found by SQLite", () => {
  let decided = 0;

  test.each(Array.from({ length: randomRuns(150, 3000) }, (_, seed) => seed))(
    "are those of the rules, seed %i",
    (seed) => {
      const random = new Random(seed);
      const formulas = Array.from(
        { length: 1 + random.below(3) },
        () => [randomFormula(random), random.pick(["-R", "+R"])] as const,
      );
      const all = random.below(2) === 0 ? [...formulas, ["", random.pick(["-R", "+R"])] as const] : formulas;
      const found = (() => {
        try {
          return visibleIds(documentWith(randomTable(random), all));
        } catch (error) {
          // The table is hidden as a whole.
          if (error instanceof Error && /access rules/i.test(error.message)) return null;
          throw error;
        }
      })();
      if (!found?.bySql) return;
      decided++;
      expect({ all, ids: found.bySql }).toEqual({ all, ids: found.byRules });
    },
  );

  test("of some rules SQLite decides", () => {
    expect(decided).toBeGreaterThan(10);
  });

  const table: SampleTable = {
    id: "Sales",
    columns: COLUMNS,
    rows: [
      { Part: 7, Name: "Oslo" },
      { Part: 1, Name: "Rome" },
    ],
  };
  test.each([
    ['user.Access == "viewers" and rec.Part == 7', [2]],
    ['rec.Name in ["Rome", "Bergen"]', [1]],
    ["rec.Part < 5", [1]],
    ["not rec.Part", [1, 2]],
  ] as const)("of the rule %s", (formula, ids) => {
    expect(visibleIds(documentWith(table, [[formula, "-R"]]))).toEqual({ bySql: [...ids], byRules: [...ids] });
  });

  test.each(["Name", "Kind", "Part", "Price", "Paid", "On", "At", "Buyer", "id"])("by the column %s", (column) => {
    const [one, other] = [table.rows?.[0] ?? {}, table.rows?.[1] ?? {}];
    const document = documentWith({ ...table, rows: [one, other] }, [[`rec.${column} == 1`, "-R"]]);
    const found = visibleIds(document);
    expect(found?.bySql).toEqual(found?.byRules ?? []);
  });

  test("are read where a column is censored in rows that are visible", () => {
    const document = ruledDocument([table], {
      "Sales:Name": [{ formula: "rec.Part == 7", permissions: "-R" }],
      "Sales:*": [{ formula: "rec.Part == 1", permissions: "-R" }],
    });
    expect(visibleIds(document)).toEqual({ bySql: null, byRules: [1] });
  });

  test("are read where a cell is not of its column's type", () => {
    const document = documentWith(
      { ...table, rows: [...(table.rows ?? []), { Part: ["E", "ValueError"] }, { Part: "n/a" }] },
      [["rec.Part < 5", "-R"]],
    );
    expect(visibleIds(document)?.bySql).toBeNull();
  });

  test("without those of which SQLite cannot decide, if such cells come later", () => {
    const document = documentWith(table, [
      ["rec.Part != 7", "+R"],
      ["", "-R"],
    ]);
    const visible = visibilityFor(document, grantOf("sample", "viewers")).readTable("Sales");
    const condition = visible.rows?.whole();
    document.db.exec("update Sales set Part = x'00' where id = 2");
    const order = { kind: "id", descending: false } as const;
    const selection = { where: condition ?? MATCH_ALL, order, limit: 10, visibleRows: null };
    expect(scanIds(document, visible.table, selection)).toEqual([]);
  });
});
