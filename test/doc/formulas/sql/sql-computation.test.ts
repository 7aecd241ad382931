import { beforeEach, describe, expect, test } from "bun:test";
import { recalculateDocument } from "../../../../src/doc/actions/apply-user-actions.ts";
import { FORMULA_LIMITS } from "../../../../src/formula/runtime/budget.ts";
import { listenToRowChanges } from "../../../../src/doc/indexes/row-changes.ts";
import type { CellValue } from "../../../../src/values/cell.ts";
import { DAY } from "../../../helpers/clock.ts";
import { ANN, Scratch } from "../../actions/scratch.ts";

/** Formulas of arithmetic over a whole column are computed in SQL once the recorded rows are. */

/** The number of rows that are recorded in any case. */
const RECORDED = 1000;
const ROWS = 2400;
const LIMITS = { blockRows: 64, bufferedCells: 100, orderedCells: 4, compiledCells: 1, recordedCells: 0 };
const IDS = Array.from({ length: ROWS }, (_, i) => i + 1);

let statements: string[] = [];
let onStatement: (sql: string) => void;
beforeEach(() => {
  statements = [];
  onStatement = () => undefined;
});
const slowQueries = {
  ms: 1e-9,
  report: ({ sql }: { sql: string }) => {
    statements.push(sql);
    onStatement(sql);
  },
};

/** Recognizes updates of ranges of rows by an expression. */
const isUpdateInSql = (sql: string) => sql.startsWith('update "T"') && sql.includes(" is not ");
const updatesInSql = () => statements.filter(isUpdateInSql);

interface Options {
  readonly inSql?: boolean;
  readonly cell?: (row: number) => Partial<Record<"A" | "B", CellValue>>;
  readonly formulas?: ConstructorParameters<typeof Scratch>[0];
}

/** Creates a document with a table of numbers; without `inSql` it only uses the interpreter. */
function createDocument({ inSql = true, cell = () => ({}), formulas = {} }: Options = {}): Scratch {
  const calculation = inSql ? LIMITS : { ...LIMITS, compiledCells: Infinity };
  const scratch = new Scratch({ ...formulas, calculation, ...(inSql && { slowQueries }) });
  scratch.do("AddTable", "T", [
    { id: "A", type: "Int" },
    { id: "B", type: "Numeric" },
    { id: "F", isFormula: true, formula: "0" },
  ]);
  const cells = IDS.map((row) => ({ A: (row * 37) % 101, B: row / 8, ...cell(row) }));
  scratch.do("BulkAddRecord", "T", IDS, { A: cells.map(({ A }) => A), B: cells.map(({ B }) => B) });
  statements = [];
  return scratch;
}

const setFormula = (scratch: Scratch, formula: string, type = "Any") =>
  scratch.apply([["ModifyColumn", "T", "F", { formula, type }]]);

/** Compares two documents after each formula. */
function expectSame(options: Options, formulas: readonly string[], prepare?: (scratch: Scratch) => void): void {
  using scratch = createDocument(options);
  using control = createDocument({ ...options, inSql: false });
  for (const document of [scratch, control]) prepare?.(document);
  for (const formula of formulas) {
    const [done, expected] = [scratch, control].map((document) => {
      const { stored, calculated, undo } = setFormula(document, formula);
      return [stored, calculated, undo];
    });
    expect(done).toEqual(expected);
    expect(scratch.content()).toEqual(control.content());
  }
  expect(scratch.problems()).toEqual([]);
}

describe("a formula of arithmetic over a whole column", () => {
  test("is computed in SQL except for the recorded rows", () => {
    using scratch = createDocument();
    setFormula(scratch, "$A * $B + 12345");
    expect(updatesInSql().length).toBeGreaterThan((ROWS - RECORDED) / LIMITS.blockRows - 5);
    expect(updatesInSql().join()).not.toContain("12345");
  });

  test("has the results and the history of the interpreter", () => {
    expectSame({}, ["$A * $B", "$A * $B + 1", "$A + 1", "$A * 1.0 + $id", "$A / 7", "$A", "$A * $B"]);
    expect(updatesInSql().length).toBeGreaterThan(80);
  });

  test("has the results of the interpreter for rows with other cells", () => {
    const odd: readonly CellValue[] = [null, "text", 0, -5, 2 ** 40, 1e300, ["E", "ValueError"]];
    const cell = (row: number) =>
      row % 150 === 0 ? { A: odd[row % odd.length] ?? null, B: odd[row % 5] ?? null } : {};
    expectSame({ cell }, ["$A * $B", "1 / $A", "-$A * $B", "$B / ($A - 3)", "$A * $A * $A"]);
    expect(updatesInSql().length).toBeGreaterThan(20);
  });

  test("has the results of the interpreter if rows are missing", () => {
    const removed = IDS.filter((row) => row % 111 === 0 || (row > 1500 && row < 1700));
    expectSame({}, ["$A * $B", "$A + $B"], (scratch) => scratch.do("BulkRemoveRecord", "T", removed));
    expect(updatesInSql().length).toBeGreaterThan(20);
  });

  test("writes only cells that change", () => {
    using scratch = createDocument({ cell: (row) => (row > 1200 ? { B: 0 } : { A: row }) });
    setFormula(scratch, "$A * $B");
    scratch.document.db.exec(`create temp table written (id);
      create temp trigger note after update of F on T begin insert into written values (new.id); end`);
    statements = [];
    setFormula(scratch, "$A * $B * 2");
    expect(updatesInSql().length).toBeGreaterThan(5);
    // Blocks without changes are not tried again for a while.
    expect(updatesInSql().length).toBeLessThan(12);
    expect(scratch.document.db.values("select count(*), max(id) from written")).toEqual([[1200, 1200]]);
  });

  test("is recorded completely where all cells are needed", () => {
    using scratch = createDocument();
    scratch.do("ModifyColumn", "T", "F", { isFormula: false, formula: "" });
    statements = [];
    // It replaces data, which an undo restores.
    const { calculated } = scratch.apply([["ModifyColumn", "T", "F", { isFormula: true, formula: "$A * $B + 1" }]]);
    expect(updatesInSql()).toEqual([]);
    expect(calculated[0]?.[2]).toHaveLength(ROWS);
  });

  test("reports the rows that were written, for indexes", () => {
    using scratch = createDocument();
    const written = new Set<number>();
    listenToRowChanges(scratch.document.db, {
      rowsWritten: (_, ids, columns) => {
        if (columns?.includes("F")) for (const id of ids) written.add(id);
      },
      rowsRemoved: () => undefined,
      tableChanged: () => undefined,
    });
    setFormula(scratch, "$A * $B + 1");
    expect(updatesInSql().length).toBeGreaterThan(5);
    expect([...written]).toEqual(IDS);
  });

  test("is followed by formulas and look-ups that read it", () => {
    const readers = (scratch: Scratch) => {
      scratch.do("AddTable", "U", [
        { id: "N" },
        { id: "Count", isFormula: true, formula: "len(T.lookupRecords(F=$N))" },
      ]);
      scratch.do("BulkAddRecord", "U", [1, 2, 3], { N: [12, 150, 7] });
      scratch.do("AddColumn", "T", "Next", { isFormula: true, formula: "T.lookupOne(id=$id + 1).F" });
    };
    expectSame({}, ["$A + 1", "$A + $B", "$A * 3"], readers);
    expect(updatesInSql().length).toBeGreaterThan(20);
  });

  test("has the results of the interpreter if the file declares other types", () => {
    using scratch = createDocument();
    scratch.document.db.exec('alter table "T" drop column "F"; alter table "T" add column "F" TEXT');
    setFormula(scratch, "$A + 1");
    expect(updatesInSql()).toEqual([]);
    scratch.document.db.exec('alter table "T" drop column "F"; alter table "T" add column "F" BLOB');
    setFormula(scratch, "$A + 2");
    expect(updatesInSql().length).toBeGreaterThan(5);
  });

  test("is read by other formulas after a recalculation that repairs it", () => {
    using scratch = createDocument();
    setFormula(scratch, "$A + $B");
    scratch.do("AddColumn", "T", "Next", { isFormula: true, formula: "T.lookupOne(id=$id + 1).F" });
    const before = scratch.content();
    scratch.document.db.exec('update "T" set F = 0, Next = 0');
    statements = [];
    recalculateDocument(scratch.document, { user: ANN, nowMs: 0 }, { persist: true, lists: false });
    expect(updatesInSql().length).toBeGreaterThan(5);
    expect(scratch.content()).toEqual(before);
  });

  test("leaves nothing behind when SQLite ends the transaction in the middle", () => {
    using scratch = createDocument();
    using control = createDocument({ inSql: false });
    for (const document of [scratch, control]) setFormula(document, "$A + $B");
    const before = [scratch.content(), scratch.states()];
    const { db } = scratch.document;
    db.exec(`create temp trigger interrupt before update of F on T when new.id = 2000
      begin select raise(rollback, 'interrupted'); end`);
    statements = [];
    expect(() => setFormula(scratch, "$A * $B")).toThrow("interrupted");
    expect(updatesInSql().length).toBeGreaterThan(5);
    db.exec("drop trigger interrupt");
    expect([scratch.content(), scratch.states()]).toEqual(before);
    for (const document of [scratch, control]) setFormula(document, "$A - $B");
    expect(scratch.content()).toEqual(control.content());
    expect(scratch.problems()).toEqual([]);
  });

  test("fails at the cell of the interpreter when the steps of the change are used up", () => {
    const steps = 2010;
    const formulas = { ...FORMULA_LIMITS, change: { ...FORMULA_LIMITS.change, steps } };
    using scratch = createDocument({ formulas: { formulas } });
    using control = createDocument({ inSql: false, formulas: { formulas } });
    for (const document of [scratch, control]) setFormula(document, "$A < $B", "Bool");
    expect(updatesInSql().length).toBeGreaterThan(10);
    expect(scratch.content()).toEqual(control.content());
    const cells = Object.values(scratch.rows("T", "F")).map(([cell]) => cell);
    expect(cells.findIndex(Array.isArray)).toBe(steps);
  });

  test("is refused when the change takes too long", () => {
    let now = 0;
    const clock = { now: () => 0, elapsed: () => now };
    using scratch = createDocument({ formulas: { clock } });
    const before = scratch.content();
    onStatement = (sql) => {
      if (isUpdateInSql(sql)) now = DAY;
    };
    expect(() => setFormula(scratch, "$A < $B", "Bool")).toThrow("longer than");
    expect(scratch.content()).toEqual(before);
  });
});
