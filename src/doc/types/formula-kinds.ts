import type { ValueKind } from "../../exchange/typed-table.ts";
import { generateRowFunction } from "../../formula/codegen/row-function.ts";
import type { RowColumn } from "../../formula/codegen/column-reads.ts";
import { BOOL, isOnly, type Kinds, mayBe, NULL, NUMBER, TEXT } from "../../formula/codegen/kinds.ts";
import { FUNCTION_RESULTS } from "../../formula/codegen/pure-functions.ts";
import { type CompiledFormula, compileFormula } from "../../formula/formula.ts";
import type { Expression } from "../../formula/parser/ast.ts";
import { columnType } from "../../values/column-type.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";

const KINDS: readonly (readonly [kind: ValueKind, bits: Kinds])[] = [
  ["number", NUMBER],
  ["string", TEXT],
  ["boolean", BOOL],
];
const ALL_KINDS = NUMBER | TEXT | BOOL | NULL;

/** The types of cells by the kinds of their values. */
const KINDS_BY_TYPE: ReadonlyMap<string, Kinds> = new Map([
  ["Text", TEXT],
  ["Choice", TEXT],
  ["Numeric", NUMBER],
  ["Int", NUMBER],
  ["PositionNumber", NUMBER],
  ["Bool", BOOL],
]);

/** Functions whose results do not depend on the kinds of their arguments. */
const SUMS = new Set(["SUM", "PRODUCT"]);

/** The maximum number of formulas to follow when the result of one depends on others. */
const MAX_DEPTH = 20;

/**
 * Infers what untyped formulas evaluate to, from their text and the types of the columns that they read. Errors and texts
 * in columns of other types are not considered.
 */
export class FormulaKinds {
  readonly #tables: ReadonlyMap<string, TableInfo>;
  readonly #kinds = new Map<ColumnInfo, Kinds | undefined>();
  #depth = 0;

  /** @param tables those whose columns formulas may read; others are unknown */
  constructor(tables: readonly TableInfo[]) {
    this.#tables = new Map(tables.map((table) => [table.id, table]));
  }

  /** Returns the kinds of a formula's results; undefined if they are unknown. */
  ofColumn(table: string, id: string): ValueKind[] | undefined {
    const kinds = this.#kindsOf(table, id);
    if (kinds === undefined || !isOnly(kinds, ALL_KINDS)) return undefined;
    const known = KINDS.filter(([, bits]) => mayBe(kinds, bits)).map(([kind]) => kind);
    return known.length > 0 ? known : undefined;
  }

  /** Returns the kinds of a column's values, by its type or else by its formula. */
  #kindsOf(tableId: string, id: string): Kinds | undefined {
    const table = this.#tables.get(tableId);
    const column = table?.columnById.get(id);
    if (!table || !column) return undefined;
    const { base } = columnType(column.type);
    if (base !== "Any") return KINDS_BY_TYPE.get(base);
    if (!column.isFormula || column.formula === "") return undefined;
    if (this.#kinds.has(column)) return this.#kinds.get(column);
    if (this.#depth >= MAX_DEPTH) return undefined;
    // The result of a formula that depends on itself is unknown.
    this.#kinds.set(column, undefined);
    this.#depth++;
    const kinds = this.#infer(table, column);
    this.#depth--;
    this.#kinds.set(column, kinds);
    return kinds;
  }

  #infer(table: TableInfo, { formula }: ColumnInfo): Kinds | undefined {
    const compiled = compileFormula(formula, { isTable: (name) => this.#tables.has(name) });
    return this.#simpleResult(table, compiled) ?? this.#returnedValue(table, compiled);
  }

  /** Returns the kinds of a formula of a row's own cells. */
  #simpleResult(table: TableInfo, { tree }: CompiledFormula): Kinds | undefined {
    const columns = new ReadColumns((id) => this.#readColumn(table, id));
    try {
      return tree && generateRowFunction(tree, { columns, resultType: columnType("Any") })?.kinds;
    } catch (error) {
      // Nested too deeply for the stack.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Returns a column as row functions read it; undefined for columns with unknown kinds of values. */
  #readColumn(table: TableInfo, id: string): RowColumn | undefined {
    const own = columnType(table.columnById.get(id)?.type ?? "Any");
    if (own.base === "Date") return { type: own, isFormula: false };
    const kinds = this.#kindsOf(table.id, id);
    const type = KINDS.find(([, bits]) => kinds !== undefined && isOnly(kinds, bits | NULL) && mayBe(kinds, bits))?.[0];
    switch (type) {
      case "number":
        return { type: columnType("Numeric"), isFormula: false };
      case "string":
        return { type: columnType("Text"), isFormula: false };
      case "boolean":
        return { type: columnType("Bool"), isFormula: false };
      case undefined:
        return undefined;
      default:
        return type satisfies never;
    }
  }

  /** Returns the kinds of a formula that is a path through references, or a call of a function with one kind of result. */
  #returnedValue(table: TableInfo, { tree }: CompiledFormula): Kinds | undefined {
    const [only] = tree?.fn.body ?? [];
    if (!tree || tree.fn.body.length !== 1 || only?.kind !== "return") return undefined;
    const { value } = only;
    if (value.kind === "attribute") return this.#pathKinds(table, value);
    if (value.kind !== "call" || value.callee.kind !== "name" || tree.isTable(value.callee.name)) return undefined;
    const { name } = value.callee;
    if (SUMS.has(name)) return NUMBER;
    const rule = FUNCTION_RESULTS.get(name);
    return typeof rule?.result === "number" ? rule.result : undefined;
  }

  #pathKinds(table: TableInfo, { object, name }: Extract<Expression, { kind: "attribute" }>): Kinds | undefined {
    const target = this.#targetOf(table, object);
    return target && this.#kindsOf(target.id, name);
  }

  /** Returns the table of the record that an expression leads to, from a record of `table`. */
  #targetOf(table: TableInfo, node: Expression): TableInfo | undefined {
    if (node.kind === "name") return node.name === "rec" ? table : undefined;
    if (node.kind !== "attribute") return undefined;
    const column = this.#targetOf(table, node.object)?.columnById.get(node.name);
    if (!column) return undefined;
    const { base, target } = columnType(column.type);
    return base === "Ref" && target !== undefined ? this.#tables.get(target) : undefined;
  }
}

/** The columns of a table, each inferred when a formula reads it. */
class ReadColumns extends Map<string, RowColumn> {
  readonly #read: (id: string) => RowColumn | undefined;

  constructor(read: (id: string) => RowColumn | undefined) {
    super();
    this.#read = read;
  }

  override get(id: string): RowColumn | undefined {
    return this.#read(id);
  }
}
