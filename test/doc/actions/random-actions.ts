import type { UserAction } from "../../../src/doc/actions/engine.ts";
import type { ColumnInfo, TableInfo } from "../../../src/doc/schema.ts";
import { AppError } from "../../../src/errors.ts";
import type { Scratch } from "./scratch.ts";

/** Numbers that look random and are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, `end`. */
  below(end: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * end);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }
}

const TYPES = ["Text", "Numeric", "Int", "Bool", "Date", "DateTime:Europe/Berlin", "Choice", "ChoiceList", "Any"];
const TEXTS = ["", "12", "-4.5", "word", "true", "2024-05-02", "a, b", "[1,2]", " 7 ", "É 表", "1e3"];
const PLAIN = [0, 1, -1, 2.5, 1e21, 86400, true, false, null];
const CODED = [
  ["L", "a", "b"],
  ["L", 1, 2],
  ["L", 3],
  ["d", 86400],
  ["E", "ValueError"],
  ["O", { a: 1 }],
];
const VALUES: readonly unknown[] = [...TEXTS, ...PLAIN, ...CODED];
const NAMES = ["Name", "name", "x", "Total", "class", "2nd", "Ä ö", "", "gristHelper", "A", "manualSort", "id"];
const FORMULAS = ["$A", "$A + 1", "$B * 2", "UPPER($Name)", "1 / 0", "$x or $A", "$C", "", "$Ref.Name"];

/** Takes one step of up to three actions on a document; answers with them, or null when they were refused. */
export function randomStep(scratch: Scratch, random: Random): UserAction[] | null {
  const actions = Array.from({ length: 1 + random.below(3) }, () => randomAction(scratch, random));
  try {
    scratch.apply(actions);
    return actions;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Some action on the document as it is; it may be one that is refused. */
export function randomAction(scratch: Scratch, random: Random): UserAction {
  const { tables } = scratch.document.schema;
  const choose = random.below(100);
  if (random.below(12) === 0) return reverseColumn(random, tables) ?? addTable(random, tables);
  if (random.below(10) === 0) return sectionAction(scratch, random);
  if (tables.length === 0 || choose < 6) return addTable(random, tables);
  const table = random.pick(tables);
  const ids = scratch.document.db.values(`select id from "${table.id}"`).map(([id]) => Number(id));
  const shown = table.columns.filter((column) => !column.isHidden);
  const column = shown.length > 0 ? random.pick(shown) : undefined;
  if (choose < 24) return ["BulkAddRecord", table.id, rowIds(random), columns(random, shown, 3)];
  if (choose < 26) return ["AddRecord", table.id, 1 + random.below(40), row(random, shown)];
  if (choose < 44 && ids.length > 0) return ["UpdateRecord", table.id, random.pick(ids), row(random, shown)];
  if (choose < 50 && ids.length > 0) return ["BulkRemoveRecord", table.id, [random.pick(ids), random.pick(ids), 77]];
  if (choose < 52) return ["ReplaceTableData", table.id, rowIds(random), columns(random, shown, 3)];
  if (choose < 57 && column) {
    const options = { on_many: random.pick(["first", "none", "all"]) };
    return ["AddOrUpdateRecord", table.id, { [column.id]: random.pick(VALUES) }, row(random, shown), options];
  }
  if (choose < 68) return ["AddVisibleColumn", table.id, random.pick(NAMES), newColumn(random, tables)];
  if (choose < 74 && column) return ["RemoveColumn", table.id, column.id];
  if (choose < 79 && column) return ["RenameColumn", table.id, column.id, random.pick(NAMES)];
  if (choose < 90 && column) return ["ModifyColumn", table.id, column.id, changes(random, tables)];
  if (choose < 94 && column) return columnAction(random, table, { column, other: random.pick(shown), tables });
  if (choose < 95)
    return ["RenameTable", table.id, random.pick(["People", "people", "T", "Café", table.id.toUpperCase()])];
  if (choose < 97 && column)
    return ["SetDisplayFormula", table.id, null, column.id, random.pick([`$${column.id}`, ""])];
  return ["RemoveTable", table.id];
}

/** The way back of some reference that has none. */
function reverseColumn(random: Random, tables: readonly TableInfo[]): UserAction | undefined {
  const found = tables.flatMap((table) =>
    table.columns.flatMap(({ id, type, isFormula, reverseCol }): UserAction[] =>
      /^Ref(List)?:/.test(type) && !isFormula && reverseCol === 0 ? [["AddReverseColumn", table.id, id]] : [],
    ),
  );
  return found.length > 0 ? random.pick(found) : undefined;
}

/** Shows a table, or a summary of it, or shows something no more. */
function sectionAction({ document }: Scratch, random: Random): UserAction {
  const { tables } = document.schema;
  const numbers = (table: string) => document.db.values(`select id from ${table}`).map(([id]) => Number(id));
  if (random.below(4) === 0) {
    const table = random.pick(["_grist_Views", "_grist_Views_section"]);
    return ["RemoveRecord", table, random.pick([...numbers(table), 0])];
  }
  const table = tables.length > 0 ? random.pick(tables) : undefined;
  const shown = (table?.columns ?? []).filter((column) => !column.isHidden).map((column) => column.ref);
  const by = new Set(shown.filter(() => random.below(4) === 0));
  const view = random.pick([0, 0, ...numbers("_grist_Views")]);
  return ["CreateViewSection", table?.ref ?? 0, view, "record", random.below(5) === 0 ? null : [...by], null];
}

function columnAction(
  random: Random,
  { id }: TableInfo,
  { column, other, tables }: { column: ColumnInfo; other: ColumnInfo; tables: readonly TableInfo[] },
): UserAction {
  switch (random.below(4)) {
    case 0:
      return ["CopyFromColumn", id, other.id, column.id, random.pick([null, "", '{"wrap":true}'])];
    case 1:
      return ["ConvertFromColumn", id, other.id, column.id, typeOf(random, tables), "", 0];
    case 2:
      return ["AddEmptyRule", id, 0, random.pick([0, column.ref])];
    default:
      return ["AddReverseColumn", id, column.id];
  }
}

const addTable = (random: Random, tables: readonly TableInfo[]): UserAction => [
  "AddTable",
  random.pick(["People", "Things", "T", ""]),
  [
    { id: "A", type: random.pick(TYPES) },
    { id: "Name" },
    { id: "B", ...newColumn(random, tables) },
    { id: "C", isFormula: true },
  ],
];

function typeOf(random: Random, tables: readonly TableInfo[]): string {
  if (random.below(3) > 0 || tables.length === 0) return random.pick(TYPES);
  return `${random.pick(["Ref", "RefList"])}:${random.pick(tables).id}`;
}

function newColumn(random: Random, tables: readonly TableInfo[]): Record<string, unknown> {
  switch (random.below(4)) {
    case 0:
      return { formula: random.pick(FORMULAS), isFormula: true };
    case 1:
      return { formula: random.pick(FORMULAS), isFormula: false, type: typeOf(random, tables) };
    case 2:
      return {};
    default:
      return { type: typeOf(random, tables), isFormula: false };
  }
}

function changes(random: Random, tables: readonly TableInfo[]): Record<string, unknown> {
  switch (random.below(6)) {
    case 0:
      return { type: typeOf(random, tables) };
    case 1:
      return { isFormula: random.below(2) === 0 };
    case 2:
      return { formula: random.pick(FORMULAS), isFormula: true };
    case 3:
      return { label: random.pick(NAMES) };
    case 4:
      return { widgetOptions: '{"wrap":true}', description: "text", _position: random.below(9) };
    default:
      return { type: typeOf(random, tables), formula: random.pick(FORMULAS) };
  }
}

const rowIds = (random: Random): (number | null)[] => [
  null,
  random.below(2) === 0 ? null : 50 + random.below(50),
  null,
];

const row = (random: Random, shown: readonly ColumnInfo[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(columns(random, shown, 1)).map(([id, [value]]) => [id, value]));

function columns(random: Random, shown: readonly ColumnInfo[], count: number): Record<string, unknown[]> {
  const writable = shown.filter((column) => !column.isFormula || column.formula === "");
  const chosen = writable.filter(() => random.below(3) > 0);
  return Object.fromEntries(chosen.map(({ id }) => [id, Array.from({ length: count }, () => random.pick(VALUES))]));
}
