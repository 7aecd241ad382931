import { Database } from "bun:sqlite";
import { join } from "node:path";
import { applyUserActions, recalculateDocument, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { createDocumentFile } from "../../../src/doc/create-document.ts";
import { OpenDocument } from "../../../src/doc/document.ts";
import { SYSTEM_USER } from "../../../src/doc/user-info.ts";
import type { Benchmark, Measurement } from "../bench.ts";
import { COLUMNS, rowOf } from "../rows.ts";
import { median, medianByRatio, durationMs } from "../timing.ts";

/**
 * Formulas in the document thread, over 100,000 rows, compared with plain SQLite that reads the same columns, loops in
 * JavaScript and stores the same results through one prepared statement. Runs alternate; the run with the median ratio
 * counts.
 */
export const formulas: Benchmark = {
  name: "formulas",
  run({ folder }) {
    using document = newDocument(join(folder, "formulas.grist"));
    using baseline = createBaselineDatabase(join(folder, "formulas-baseline.sqlite"));
    return Promise.resolve([
      ...overAllRows(document, baseline),
      changeOneCell(document),
      changeLookupKey(document, baseline),
      lookupColumn(document),
    ]);
  },
};

const ROWS = 100_000;
const RUNS = 5;

const SHORT = (turn: number) => `$Qty * $Price + ${turn}`;
const LONG = (turn: number) =>
  `if $Qty > 500:\n  text = $City.upper()\nelse:\n  text = $City\nreturn text + " " + str($Qty + ${turn})`;

/** Changes the column's formula each time, so that all of its cells are recomputed. */
function overAllRows(document: OpenDocument, baseline: Database): Measurement[] {
  const store = baseline.prepare("update Big set F = ? where id = ?");
  const storeAll = (results: readonly (readonly [number, number | string])[]) =>
    baseline.transaction(() => {
      for (const [id, result] of results) store.run(result, id);
    })();
  const short = (turn: number) => () => {
    const rows = baseline.query("select id, Qty, Price from Big").values() as [number, number, number][];
    storeAll(rows.map(([id, qty, price]) => [id, qty * price + turn]));
  };
  const long = (turn: number) => () => {
    const rows = baseline.query("select id, Qty, City from Big").values() as [number, number, string][];
    storeAll(rows.map(([id, qty, city]) => [id, `${qty > 500 ? city.toUpperCase() : city} ${qty + turn}`]));
  };
  apply(document, ["AddColumn", "Big", "F", { type: "Any", formula: "0", isFormula: true }]);
  const measure = (name: string, formula: (turn: number) => string, bare: (turn: number) => () => void, max: number) =>
    medianByRatio(
      Array.from({ length: RUNS }, (_, turn) => ({
        name,
        unit: "ms",
        baseline: durationMs(bare(turn)),
        value: durationMs(() => apply(document, ["ModifyColumn", "Big", "F", { formula: formula(turn) }])),
        target: { max },
      })),
    );
  return [
    measure("$Qty * $Price + 1 over 100,000 rows", SHORT, short, 4),
    measure("a formula of several lines over 100,000 rows", LONG, long, 6),
  ];
}

function changeOneCell(document: OpenDocument): Measurement {
  for (const [id, formula] of Object.entries({ G: "$Qty + 1", H: "$Qty * $Price", I: "'%s: %s' % ($City, $Qty)" })) {
    apply(document, ["AddColumn", "Big", id, { type: "Any", formula, isFormula: true }]);
  }
  const times = Array.from({ length: 50 }, (_, turn) =>
    durationMs(() => apply(document, ["UpdateRecord", "Big", 500 + turn, { Qty: 5000 + turn }])),
  );
  return { name: "change a cell that 3 formula columns read", value: median(times), unit: "ms", target: { max: 3 } };
}

/** Each row counts the rows of its city: when one row changes its city, the cells of two cities change. */
function changeLookupKey(document: OpenDocument, baseline: Database): Measurement {
  const formula = "len(Big.lookupRecords(City=$City))";
  apply(document, ["AddColumn", "Big", "InCity", { type: "Int", formula, isFormula: true }]);
  const update = baseline.prepare("update Big set F = ? where id = ?");
  const turns = Array.from({ length: 4 * RUNS }, (_, turn) => {
    const id = 8 * (turn + 1);
    const value = durationMs(() => apply(document, ["UpdateRecord", "Big", id, { City: "Quito" }]));
    const changed = baseline.query("select id from Big where City in ('Riga', 'Quito')").values() as [number][];
    const bare = durationMs(() =>
      baseline.transaction(() => {
        for (const [row] of changed) update.run(turn, row);
      })(),
    );
    return { name: "change the key of a look-up", value, unit: "ms", baseline: bare, target: { max: 3 } };
  });
  apply(document, ["RemoveColumn", "Big", "InCity"]);
  return medianByRatio(turns);
}

function lookupColumn(document: OpenDocument): Measurement {
  apply(document, ["AddTable", "Cities", [{ id: "City" }, { id: "Total", formula: "0", isFormula: true }]]);
  const cities = Array.from({ length: 8 }, (_, i) => rowOf(i)[1]);
  apply(document, ["BulkAddRecord", "Cities", cities.map(() => null), { City: cities }]);
  const times = Array.from({ length: RUNS }, (_, turn) =>
    durationMs(() =>
      apply(document, [
        "ModifyColumn",
        "Cities",
        "Total",
        { formula: `SUM(Big.lookupRecords(City=$City).Price) + ${turn}` },
      ]),
    ),
  );
  const name = "a look-up column over 8 groups of 100,000 rows";
  return { name, value: median(times), unit: "ms", target: { max: 400 } };
}

function apply(document: OpenDocument, action: UserAction): void {
  applyUserActions(document, [action], { parse: false, user: SYSTEM_USER, nowMs: Date.now() });
}

function newDocument(path: string): OpenDocument {
  createDocumentFile(path);
  const document = new OpenDocument(path);
  apply(document, ["AddTable", "Big", COLUMNS.map(({ id, type }) => ({ id, type }))]);
  for (let first = 1; first <= ROWS; first += 10_000) {
    const rows = Array.from({ length: 10_000 }, (_, i) => rowOf(first + i));
    const cells = Object.fromEntries(COLUMNS.map(({ id }, c) => [id, rows.map((row) => row[c])]));
    apply(document, ["BulkAddRecord", "Big", rows.map(() => null), cells]);
  }
  recalculateDocument(document, { user: SYSTEM_USER, nowMs: Date.now() }, { persist: true });
  return document;
}

function createBaselineDatabase(path: string): Database {
  const db = new Database(path, { create: true });
  db.run("pragma journal_mode = wal");
  db.run("pragma synchronous = full");
  const names = COLUMNS.map(({ id }) => id);
  db.run(`create table Big (id integer primary key, ${names.join(", ")}, F)`);
  const insert = db.prepare(`insert into Big (id, ${names.join(", ")}) values (?${", ?".repeat(names.length)})`);
  db.transaction(() => {
    for (let id = 1; id <= ROWS; id++) insert.run(id, ...rowOf(id));
  })();
  return db;
}
