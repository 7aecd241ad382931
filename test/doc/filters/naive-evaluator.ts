import type { CellValue } from "../../../src/values/cell.ts";

/**
 * Evaluates filters in the simplest way, row by row over cells, without the code under test: the reference for
 * random filters.
 */

export type Row = Readonly<Record<string, CellValue>> & { readonly id: number };

export interface NaiveTable {
  readonly types: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
  /** The column that references to the table show. */
  readonly shown: string | null;
  /** False for a row that the caller does not see. */
  isVisible(row: Row): boolean;
  /** True for a cell that the caller does not see. */
  isCensored(row: Row, column: string): boolean;
}

export type NaiveTables = Readonly<Record<string, NaiveTable>>;

/** Null: it depends on a cell that the caller does not see. */
type Verdict = boolean | null;

const ZONE = new Intl.DateTimeFormat("en-CA", {
  timeZone: "America/New_York",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
});
const collator = new Intl.Collator("en-US");

/** Returns the ids of the visible rows that a filter selects. */
export const naiveIds = (tables: NaiveTables, table: string, filter: object): number[] =>
  (tables[table]?.rows ?? [])
    .filter((row) => tables[table]?.isVisible(row) && verdictOf(tables, { table, row }, filter) === true)
    .map(({ id }) => id);

interface Place {
  readonly table: string;
  readonly row: Row;
}

function verdictOf(tables: NaiveTables, place: Place, filter: object): Verdict {
  return every(
    Object.entries(filter).map(([key, value]): Verdict => {
      if (key === "and") return every((value as object[]).map((part) => verdictOf(tables, place, part)));
      if (key === "or") return some((value as object[]).map((part) => verdictOf(tables, place, part)));
      if (key === "not") return negated(verdictOf(tables, place, value as object));
      if (Array.isArray(value)) return pathVerdict(tables, place, [key, "list", value]);
      return every(
        Object.entries(value as object).map(([operator, operand]) =>
          pathVerdict(tables, place, [key, operator, operand]),
        ),
      );
    }),
  );
}

type Comparison = readonly [path: string, operator: string, operand: unknown];

function pathVerdict(tables: NaiveTables, { table, row }: Place, [path, operator, operand]: Comparison): Verdict {
  const [column = "", ...rest] = path.split(".");
  if (rest.length > 0) {
    // A path is empty if all cells that it leads to are.
    if (operator === "empty" && operand === true)
      return negated(pathVerdict(tables, { table, row }, [path, "empty", false]));
    const found = some(
      targetsOf(tables, { table, row }, column).map((target) =>
        target === null ? null : pathVerdict(tables, target, [rest.join("."), operator, operand]),
      ),
    );
    if (operator !== "list" || !(operand as unknown[]).includes(null)) return found;
    return some([found, isWithoutCells(tables, { table, row }, path)]);
  }
  if (tables[table]?.isCensored(row, column)) return null;
  const type = column === "id" ? "Int" : (tables[table]?.types[column] ?? "");
  const cell = column === "id" ? row.id : (row[column] ?? null);
  if (operator === "list") return (operand as unknown[]).some((one) => isListed(cell, one, type));
  return compare(tables, { cell, type }, [operator, operand]);
}

/** True if all cells that a path leads to are null. */
function isWithoutCells(tables: NaiveTables, { table, row }: Place, path: string): Verdict {
  const [column = "", ...rest] = path.split(".");
  if (rest.length === 0) return tables[table]?.isCensored(row, column) ? null : (row[column] ?? null) === null;
  return every(
    targetsOf(tables, { table, row }, column).map((target) =>
      target === null ? null : isWithoutCells(tables, target, rest.join(".")),
    ),
  );
}

/** Returns the visible rows that a cell refers to; a single null if the caller does not see the cell. */
function targetsOf(tables: NaiveTables, { table, row }: Place, column: string): (Place | null)[] {
  const own = tables[table];
  if (own?.isCensored(row, column)) return [null];
  const target = own?.types[column]?.split(":")[1] ?? "";
  const cell = row[column];
  const ids: unknown[] = Array.isArray(cell) ? (cell[0] === "L" ? cell.slice(1) : []) : [cell];
  return ids.flatMap((id) => {
    const found = tables[target]?.rows.find((one) => one.id === id);
    return found && tables[target]?.isVisible(found) ? [{ table: target, row: found }] : [];
  });
}

function isListed(cell: CellValue, value: unknown, type: string): boolean {
  const asNumber = (one: unknown) => (typeof one === "boolean" ? Number(one) : one);
  if (Array.isArray(cell))
    return (
      type.startsWith("RefList") && Array.isArray(value) && JSON.stringify(cell) === JSON.stringify(["L", ...value])
    );
  return !Array.isArray(value) && asNumber(cell) === asNumber(value);
}

interface TypedCell {
  readonly cell: CellValue;
  readonly type: string;
}

function compare(tables: NaiveTables, { cell, type }: TypedCell, [operator, operand]: [string, unknown]): Verdict {
  const isEmpty =
    cell === null ||
    cell === "" ||
    (type.startsWith("Ref:") && cell === 0) ||
    (Array.isArray(cell) && isEqual(cell, ["L"]));
  if (operator === "empty") return isEmpty === operand;
  if (isEmpty) return false;
  if (operator === "in") return some((operand as unknown[]).map((one) => compare(tables, { cell, type }, ["eq", one])));
  if (operator === "ne" || operator === "nin") {
    const operands = operator === "ne" ? [operand] : (operand as unknown[]);
    if (!operands.some((one) => isComparable({ cell, type }, one))) return false;
    return negated(some(operands.map((one) => compare(tables, { cell, type }, ["eq", one]))));
  }
  const base = type.split(":")[0];
  if (base === "Date" || base === "DateTime") return compareDates({ cell, type }, [operator, operand]);
  if (base === "Ref") return compareReferences(tables, { cell, type }, [operator, operand]);
  if (["ChoiceList", "RefList"].includes(base ?? "") || operator.startsWith("has") || Array.isArray(operand))
    return compareItems(tables, { cell, type }, [operator, operand]);
  return comparePlain(cell, [operator, operand], base === "Numeric" || base === "Int" ? Number : (one) => one);
}

/** True if a cell is of the kind that an operand is compared with. */
function isComparable({ cell, type }: TypedCell, operand: unknown): boolean {
  const base = type.split(":")[0] ?? "";
  if (["Numeric", "Int", "Date", "DateTime", "Ref"].includes(base)) return typeof cell === "number";
  if (base === "Text") return typeof cell === "string";
  if (base === "Bool") return typeof cell === "boolean";
  if (["ChoiceList", "RefList"].includes(base)) return Array.isArray(cell) && cell[0] === "L";
  return Array.isArray(operand) ? Array.isArray(cell) && cell[0] === "L" : typeof cell === typeof operand;
}

function comparePlain(
  cell: CellValue,
  [operator, operand]: [string, unknown],
  read: (one: unknown) => unknown,
): boolean {
  const other = read(operand);
  if (typeof cell !== typeof other) return false;
  const order = typeof cell === "string" ? collator.compare(cell, String(other)) : Number(cell) - Number(other);
  const [text, part] = [String(cell).toLowerCase(), String(other).toLowerCase()];
  switch (operator) {
    case "eq":
      return cell === other;
    case "gt":
      return order > 0;
    case "gte":
      return order >= 0;
    case "lt":
      return order < 0;
    case "lte":
      return order <= 0;
    case "contains":
      return typeof cell === "string" && text.includes(part);
    case "startsWith":
      return typeof cell === "string" && text.startsWith(part);
    case "endsWith":
      return typeof cell === "string" && text.endsWith(part);
    case "matches":
      return typeof cell === "string" && new RegExp(String(other), "u").test(cell);
    default:
      throw new Error(operator);
  }
}

/** Compares dates as texts: days as YYYY-MM-DD in New York, moments as numbers. */
function compareDates({ cell, type }: TypedCell, [operator, operand]: [string, unknown]): boolean {
  if (typeof cell !== "number") return false;
  if (typeof operand === "number") return comparePlain(cell, [operator, operand], (one) => one);
  const at = new Date(cell * 1000);
  const day = type === "Date" ? at.toISOString().slice(0, 10) : ZONE.format(at);
  const other = String(operand);
  if (operator === "within") return WINDOWS[other]?.(day) ?? false;
  return comparePlain(day, [operator, other], (one) => one);
}

/** The days of a span, if today is 2026-03-01. */
export const WINDOWS: Readonly<Record<string, (day: string) => boolean>> = {
  today: (day) => day === "2026-03-01",
  tomorrow: (day) => day === "2026-03-02",
  last7days: (day) => day >= "2026-02-23" && day <= "2026-03-01",
  thisMonth: (day) => day.startsWith("2026-03"),
  lastMonth: (day) => day.startsWith("2026-02"),
  thisYear: (day) => day.startsWith("2026"),
};

/** A text means the references that show it. */
function compareReferences(
  tables: NaiveTables,
  { cell, type }: TypedCell,
  [operator, operand]: [string, unknown],
): Verdict {
  if (typeof cell !== "number") return false;
  if (typeof operand === "number") return comparePlain(cell, [operator, operand], (one) => one);
  const name = type.split(":")[1] ?? "";
  const target = tables[name];
  const row = target?.rows.find(({ id }) => id === cell);
  if (!target || !row || !target.isVisible(row)) return false;
  if (target.shown === null) return operator === "eq" && String(cell) === operand;
  if (target.isCensored(row, target.shown)) return null;
  return compare(tables, { cell: row[target.shown] ?? null, type: target.types[target.shown] ?? "" }, [
    operator,
    operand,
  ]);
}

function compareItems(tables: NaiveTables, { cell, type }: TypedCell, [operator, operand]: [string, unknown]): Verdict {
  if (!Array.isArray(cell) || cell[0] !== "L") return false;
  const items = cell.slice(1) as CellValue[];
  const [base, target = ""] = type.split(":");
  const equals = (item: CellValue, other: unknown): Verdict => {
    if (base === "ChoiceList" || base === "Any") return item === other;
    return compareReferences(tables, { cell: item, type: `Ref:${target}` }, ["eq", other]);
  };
  const has = (other: unknown): Verdict => some(items.map((item) => equals(item, other)));
  const others = operand as unknown[];
  switch (operator) {
    case "has":
      return has(operand);
    case "hasAny":
      return some(others.map(has));
    case "hasAll":
      return every(others.map(has));
    case "eq":
      return others.length === items.length && every(items.map((item, at) => equals(item, others[at])));
    default:
      throw new Error(operator);
  }
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const negated = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict);
const every = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(false) ? false : verdicts.includes(null) ? null : true;
const some = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(true) ? true : verdicts.includes(null) ? null : false;
