/**
 * Random changes with two keys, and the undo of one of them. A model that knows nothing of the history, only the content after
 * each change, decides what has to be reverted.
 */
import { expect, test } from "bun:test";
import type { DocumentGrant } from "../../../src/authorization.ts";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { allIds } from "../../../src/doc/actions/row-storage.ts";
import { newestState } from "../../../src/doc/history.ts";
import type { UndoReport } from "../../../src/doc/undo/describe-undo.ts";
import { undoVerbs } from "../../../src/hosts/verbs/undo/undo-changes.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { ANN, Scratch } from "../actions/scratch.ts";

const SEQUENCES = randomRuns(15, 300);
const STEPS = 14;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

type Author = "own" | "other";
const KEYS: Record<Author, number> = { own: 1, other: 2 };
const { email, userId } = ANN;

/** Cells of data columns as JSON by table ref, column ref and row, which renames do not change. */
type Content = Map<string, string>;

test(`an undo reverts what the key wrote last, and nothing else (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) runSequence(own);
}, 3_600_000);

function runSequence(own: number): void {
  using scratch = new Scratch();
  const random = new Random(own);
  setUp(scratch, random);
  const since = newestState(scratch.document.db)?.actionNum ?? 0;
  const model = new Model(contentOf(scratch));
  const steps: unknown[] = [];
  for (let step = 0; step < STEPS; step++) {
    const author = random.pick<Author>(["own", "other"]);
    const actions = [randomAction(scratch, random)];
    // The second action must not refer to what the first one removes.
    if (random.oneIn(3) && !String(actions[0]?.[0]).includes("Remove")) actions.push(randomAction(scratch, random));
    try {
      scratch.apply(actions, { user: { keyId: KEYS[author] } });
    } catch {
      continue;
    }
    steps.push([author, ...actions]);
    model.changed(author, contentOf(scratch));
  }
  const about = [`QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1`, ...steps.map((step) => JSON.stringify(step))].join(
    "\n",
  );
  checkUndo(scratch, { since, model, about });
}

function checkUndo(scratch: Scratch, { since, model, about }: { since: number; model: Model; about: string }): void {
  const before = contentOf(scratch);
  const whole = tableContent(scratch);
  const plan = planOf(scratch, since);
  const changed = expectedChanges(scratch, plan);
  for (const [key, { from, to, kind }] of changed) {
    if (kind === "default") continue;
    const { by, before: former, after } = model.lastRun(key) ?? {};
    expect({ key, by, from, to }, about).toEqual({ key, by: "own", from: after, to: former });
  }
  const conflicts = new Set(plan.conflicts.map(({ table, row, column }) => placeOf(scratch, table, row, column)));
  for (const key of model.keys()) {
    const run = model.lastRun(key);
    if (run?.by !== "own" || run.before === run.after || changed.has(key)) continue;
    const [table, , row] = key.split(".");
    // The key added the row, and removed it again.
    if (model.isTransient(`${table}.${row}`)) continue;
    const isListed = [key, `${table}.*.${row}`].some((place) => conflicts.has(place));
    expect(isListed, `${key} ${JSON.stringify(run)} is neither reverted nor a conflict\n${about}`).toBe(true);
  }

  const applied = applyOf(scratch, since, plan.planId);
  expect(applied.counts, about).toEqual(plan.counts);
  const expected = new Map(before);
  for (const [key, { to }] of changed) {
    if (to === undefined) expected.delete(key);
    else expected.set(key, to);
  }
  expect(Object.fromEntries(contentOf(scratch)), about).toEqual(Object.fromEntries(expected));
  expect(scratch.problems(), about).toEqual([]);
  expect(planOf(scratch, since).counts, about).toMatchObject({ cells: 0, removedRows: 0, restoredRows: 0 });
  if (applied.state === null) return;
  const back = planOf(scratch, applied.state - 1);
  expect(back.conflicts, about).toEqual([]);
  applyOf(scratch, applied.state - 1, back.planId);
  expect(tableContent(scratch), about).toEqual(whole);
}

/** The changes of cells that each key made, by cell. */
class Model {
  #content: Content;
  readonly #runs = new Map<string, Run<string>>();
  /** Whether rows existed, by table and row. */
  readonly #rows = new Map<string, Run<true>>();

  constructor(content: Content) {
    this.#content = content;
  }

  changed(by: Author, content: Content): void {
    addRuns(this.#runs, by, { before: this.#content, after: content });
    addRuns(this.#rows, by, { before: rowsOf(this.#content), after: rowsOf(content) });
    this.#content = content;
  }

  isTransient(row: string): boolean {
    const run = this.#rows.get(row);
    return run?.by === "own" && run.before === undefined && run.after === undefined;
  }

  keys(): Iterable<string> {
    return this.#runs.keys();
  }

  lastRun(key: string) {
    return this.#runs.get(key);
  }
}

/** The last changes that one key made without the other one in between. */
interface Run<T> {
  readonly by: Author;
  readonly before: T | undefined;
  after: T | undefined;
}

function addRuns<T>(
  runs: Map<string, Run<T>>,
  by: Author,
  { before, after }: { before: ReadonlyMap<string, T>; after: ReadonlyMap<string, T> },
): void {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(key) === after.get(key)) continue;
    const run = runs.get(key);
    if (run?.by === by) run.after = after.get(key);
    else runs.set(key, { by, before: before.get(key), after: after.get(key) });
  }
}

function rowsOf(content: Content): Map<string, true> {
  const keys = [...content.keys()].map((key) => key.split("."));
  return new Map(keys.map(([table, , row]) => [`${table}.${row}`, true]));
}

interface ExpectedChange {
  readonly kind: "cell" | "removed" | "restored" | "default";
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The cells that a plan changes, by place. */
function expectedChanges(scratch: Scratch, plan: UndoReport): Map<string, ExpectedChange> {
  expect(plan.isComplete).toBe(true);
  const before = contentOf(scratch);
  const changes = new Map<string, ExpectedChange>();
  for (const { table, row, column, from, to } of plan.cells) {
    // Positions are compared with the whole content at the end.
    if (column === "manualSort") continue;
    const key = placeOf(scratch, table, row, column);
    expect(JSON.stringify(from)).toBe(before.get(key) ?? "");
    changes.set(key, { kind: "cell", from: JSON.stringify(from), to: JSON.stringify(to) });
  }
  const ofRow = (table: string, row: number) => {
    const prefix = placeOf(scratch, table).split(".")[0];
    return [...before].filter(([key]) => key.startsWith(`${prefix}.`) && key.endsWith(`.${row}`));
  };
  for (const { table, row } of plan.removedRows) {
    for (const [key, from] of ofRow(table, row)) changes.set(key, { kind: "removed", from, to: undefined });
  }
  for (const { table, row, fields } of plan.restoredRows) {
    expect(ofRow(table, row)).toEqual([]);
    for (const [column, to] of Object.entries(fields)) {
      changes.set(placeOf(scratch, table, row, column), { kind: "restored", from: undefined, to: JSON.stringify(to) });
    }
    // Cells that are left out have the default of their column.
    for (const { column, reason } of plan.conflicts.filter((each) => each.table === table && each.row === row)) {
      expect(["missing_reference", "two_way_reference"]).toContain(reason);
      const type = columnsOf(scratch, table).find(({ id }) => id === column)?.type ?? "";
      const to = type.startsWith("RefList") ? "null" : "0";
      changes.set(placeOf(scratch, table, row, column), { kind: "default", from: undefined, to });
    }
  }
  return new Map([...changes].filter(([, { from, to }]) => from !== to));
}

const grantOf = (author: Author): DocumentGrant =>
  ({
    uuid: "document",
    role: "owners",
    actor: { kind: "user", email, userId, name: "Ann", ref: "ann-ref", via: "key", keyId: KEYS[author] },
    request: { origin: null, linkKey: {} },
  }) as unknown as DocumentGrant;

const reportOf = ({ bytes }: { bytes: Uint8Array }) =>
  JSON.parse(new TextDecoder().decode(bytes)) as UndoReport & { state: number | null };

const planOf = ({ document }: Scratch, since: number) =>
  reportOf(undoVerbs["undo.plan"].run(document, grantOf("own"), { since }));

const applyOf = ({ document }: Scratch, since: number, planId: string) =>
  reportOf(undoVerbs["undo.apply"].run(document, grantOf("own"), { since, planId }));

const tablesOf = ({ document }: Scratch) => document.schema.tables.filter((table) => table.summarySourceTable === 0);

const columnsOf = (scratch: Scratch, table: string) =>
  tablesOf(scratch)
    .find(({ id }) => id === table)
    ?.columns.filter(({ isFormula, isHidden }) => !isFormula && !isHidden) ?? [];

function placeOf(scratch: Scratch, table: string, row?: number, column?: string): string {
  const info = tablesOf(scratch).find(({ id }) => id === table);
  return `${info?.ref}.${info?.columnById.get(column ?? "")?.ref ?? "*"}.${row ?? "*"}`;
}

function contentOf(scratch: Scratch): Content {
  const content: Content = new Map();
  for (const { id: table, ref } of tablesOf(scratch)) {
    const columns = columnsOf(scratch, table);
    for (const [row, cells] of Object.entries(scratch.rows(table, ...columns.map(({ id }) => id)))) {
      for (const [at, cell] of cells.entries()) content.set(`${ref}.${columns[at]?.ref}.${row}`, JSON.stringify(cell));
    }
  }
  return content;
}

/** All cells, also of formulas and positions; rows of summaries have other ids when their group returns. */
const tableContent = (scratch: Scratch) =>
  Object.fromEntries(
    tablesOf(scratch).map(({ id, columns }) => [id, scratch.rows(id, ...columns.map((column) => column.id))]),
  );

/** Two tables, with references in both directions, a two-way reference, trigger formulas, formulas and a summary. */
function setUp(scratch: Scratch, random: Random): void {
  const data = (id: string, type: string, further = {}) => ({ id, type, isFormula: false, ...further });
  scratch.apply([
    ["RemoveTable", "Table1"],
    [
      "AddTable",
      "People",
      [data("Name", "Text"), data("Age", "Int"), data("Friend", "Ref:People"), data("Team", "RefList:People")],
    ],
    ["AddTable", "Orders", [data("Item", "Text"), data("Buyer", "Ref:People"), data("Tags", "ChoiceList")]],
    ["AddColumn", "People", "Stamp", { type: "Text", isFormula: false, formula: "str($Age)", recalcWhen: 2 }],
    ["AddColumn", "People", "Count", { isFormula: true, formula: "len(Orders.lookupRecords(Buyer=$id))" }],
    ["AddColumn", "Orders", "BuyerName", { isFormula: true, formula: "$Buyer.Name" }],
  ]);
  if (random.oneIn(2)) scratch.do("AddReverseColumn", "Orders", "Buyer");
  if (random.oneIn(3)) {
    const item = scratch.document.schema.tableById.get("Orders")?.columnById.get("Item")?.ref;
    scratch.do("CreateViewSection", scratch.document.schema.tableById.get("Orders")?.ref, 0, "record", [item], null);
  }
  scratch.apply([
    ["BulkAddRecord", "People", [1, 2, 3, 4], { Name: ["A", "B", "C", "D"], Age: [1, 2, 3, 4], Friend: [2, 0, 1, 0] }],
    ["BulkAddRecord", "Orders", [1, 2, 3], { Item: ["x", "y", "x"], Buyer: [1, 1, 3] }],
  ]);
}

function randomAction(scratch: Scratch, random: Random): UserAction {
  const table = random.pick(tablesOf(scratch).map(({ id }) => id));
  const ids = allIds(scratch.document.db, table);
  const id = random.pickAny(ids) ?? 1;
  const columns = columnsOf(scratch, table);
  const column = random.pick(columns);
  switch (random.below(9)) {
    case 0:
      return ["AddRecord", table, random.oneIn(2) ? null : 1 + random.below(7), someFields(scratch, random, table)];
    case 1:
      return ["RemoveRecord", table, id];
    case 2:
      return ["BulkRemoveRecord", table, random.some(ids, 3)];
    case 3: {
      const rows = random.some(ids, 2);
      return ["BulkUpdateRecord", table, rows, { [column.id]: rows.map(() => someCell(scratch, random, column.type)) }];
    }
    case 4:
      if (random.oneIn(3))
        return ["RenameColumn", table, column.id, `${quote(column.id).slice(1, 2)}${random.below(50)}`];
      return random.oneIn(3)
        ? ["RenameTable", table, `T${random.below(50)}`]
        : ["UpdateRecord", table, id, { manualSort: random.below(9) }];
    default:
      return ["UpdateRecord", table, id, someFields(scratch, random, table)];
  }
}

function someFields(scratch: Scratch, random: Random, table: string): Record<string, unknown> {
  const columns = random.some(columnsOf(scratch, table), 2);
  return Object.fromEntries(columns.map(({ id, type }) => [id, someCell(scratch, random, type)]));
}

function someCell(scratch: Scratch, random: Random, type: string): unknown {
  const [base = "", target = ""] = type.split(":");
  const targets = target ? allIds(scratch.document.db, target) : [];
  switch (base) {
    case "Int":
      return random.below(4);
    case "Ref":
      return random.oneIn(4) ? 0 : (random.pickAny(targets) ?? 0);
    case "RefList":
      return listOf(random.some(targets, 3));
    case "ChoiceList":
      return listOf(random.some(["a", "b"], 2));
    default:
      return random.pick(["", "p", "q"]);
  }
}

const listOf = (items: readonly unknown[]): unknown => (items.length > 0 ? ["L", ...items] : null);
