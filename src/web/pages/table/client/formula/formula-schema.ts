/** What a formula can name. */
import type { FormulaFunction } from "../../../../base/function-list.ts";

export interface SchemaColumn {
  readonly id: string;
  readonly label: string;
  /** As in the metadata: `Ref:Customers`. */
  readonly type: string;
}

export interface SchemaTable {
  readonly id: string;
  /** The name that people know. */
  readonly title: string;
  readonly columns: readonly SchemaColumn[];
}

export interface FormulaSchema {
  /** The table of the formula. */
  readonly table: string;
  readonly tables: ReadonlyMap<string, SchemaTable>;
  readonly functions: readonly FormulaFunction[];
}

/** What an expression is: records of a table, or the table itself. */
export interface KnownValue {
  readonly kind: "table" | "record" | "records";
  readonly table: string;
}

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const STEP = new RegExp(String.raw`^\s*\.\s*(${NAME})`, "u");
const HEAD = new RegExp(`^(\\$?)(${NAME})`, "u");

/** Returns what an expression such as `$Customer.Company` or `Orders.lookupOne(…)` is; null when that is not known. */
export function valueOf(expression: string, schema: FormulaSchema): KnownValue | null {
  const head = HEAD.exec(expression);
  if (!head) return null;
  const [start, dollar, name = ""] = head;
  let value: KnownValue | null = dollar ? columnValue(schema.table, name, schema) : headValue(name, schema);
  let rest = expression.slice(start.length);
  while (value && rest.trim() !== "") {
    const step = STEP.exec(rest);
    if (!step) {
      // An index selects one of several records.
      const index = /^\s*\[[^\]]*\]/.exec(rest);
      if (!index || value.kind !== "records") return null;
      value = { ...value, kind: "record" };
      rest = rest.slice(index[0].length);
      continue;
    }
    const [whole, member = ""] = step;
    rest = rest.slice(whole.length);
    if (value.kind === "table") {
      value = memberOfTable(value.table, member);
      if (member !== "all") rest = afterCall(rest) ?? "?";
    } else {
      const { kind } = value;
      const next: KnownValue | null = columnValue(value.table, member, schema);
      value = next && kind === "records" ? { ...next, kind: "records" } : next;
    }
  }
  return value;
}

/** Returns the table whose look-up a callee such as `Orders.lookupOne` is; null for other callees. */
export function lookupTable(callee: string, schema: FormulaSchema): string | null {
  const chain = /^(.*)\.lookup(?:Records|One)$/.exec(callee)?.[1];
  const value = chain === undefined ? null : valueOf(chain, schema);
  return value?.kind === "table" ? value.table : null;
}

function headValue(name: string, { table, tables }: FormulaSchema): KnownValue | null {
  if (name === "rec") return { kind: "record", table };
  if (name === "table") return { kind: "table", table };
  return tables.has(name) ? { kind: "table", table: name } : null;
}

function memberOfTable(table: string, member: string): KnownValue | null {
  if (member === "lookupOne") return { kind: "record", table };
  return member === "all" || member === "lookupRecords" ? { kind: "records", table } : null;
}

function columnValue(table: string, id: string, { tables }: FormulaSchema): KnownValue | null {
  const type = tables.get(table)?.columns.find((column) => column.id === id)?.type ?? "";
  const [, base, target = ""] = /^(Ref|RefList):(.+)$/.exec(type) ?? [];
  if (base === undefined) return null;
  return { kind: base === "Ref" ? "record" : "records", table: target };
}

/** Returns the text after the arguments that it begins with; null when it does not. */
function afterCall(text: string): string | null {
  if (!/^\s*\(/.test(text)) return null;
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[()]/g)) {
    if (found === "(") depth++;
    else if (found === ")" && --depth === 0) return text.slice(index + 1);
  }
  return null;
}
