import { columnType } from "../../values/column-type.ts";
import type { FunctionBody } from "../parser/ast.ts";
import { PyError } from "../runtime/errors.ts";
import { parseFormula } from "../parser/parse.ts";
import { prepareSource, type Source } from "../parser/source.ts";
import { asIndirect, type InferredType } from "./inferred-type.ts";
import type { NameReference } from "./name-references.ts";
import type { DocumentColumn, KnownTables } from "./walk-context.ts";
import { FormulaWalker } from "./formula-walker.ts";

/**
 * Returns the references to tables and columns in a formula of the table `owner`, in text order, and attributes whose
 * object is unknown. Returns none for invalid Python.
 */
export function findNameReferences(text: string, owner: string, tables: KnownTables): NameReference[] {
  return new NameReferenceFinder(tables).findReferences(text, owner);
}

/** The maximum number of formulas to follow when a column's type depends on other formulas. */
const MAX_FORMULA_DEPTH = 20;

/** Finds references in formulas; caches inferred column types between formulas. */
export class NameReferenceFinder {
  readonly #tables: KnownTables;
  readonly #inferredByColumn = new Map<DocumentColumn, InferredType | undefined>();
  #formulaDepth = 0;

  /** `tables` must not change during the lifetime of the finder. */
  constructor(tables: KnownTables) {
    this.#tables = tables;
  }

  /** See `findNameReferences`. */
  findReferences(text: string, owner: string): NameReference[] {
    return this.findReferencesWithGlobals(text, recordGlobals(owner));
  }

  /** Like `findReferences`, for a formula with other global names. */
  findReferencesWithGlobals(text: string, globals: ReadonlyMap<string, InferredType>): NameReference[] {
    return this.#read(text, globals)?.references ?? [];
  }

  #read(
    text: string,
    globals: ReadonlyMap<string, InferredType>,
  ): { references: NameReference[]; known: InferredType | undefined } | null {
    const parsed = parseLenient(text);
    if (!parsed) return null;
    const cellType = (table: string, column: string) => this.#cellType(table, column);
    const walker = new FormulaWalker(parsed.source, { tables: this.#tables, globals, cellType });
    try {
      const known = walker.walk(parsed.fn);
      return { references: walker.references, known };
    } catch (error) {
      // Stack overflow: such a formula could not be evaluated either.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** Returns the type of a column's cells, by the column type or else by its formula. */
  #cellType(table: string, id: string): InferredType | undefined {
    const column = this.#tables.tableById.get(table)?.columnById.get(id);
    if (!column) return undefined;
    const { base, target } = columnType(column.type);
    if (target !== undefined) {
      return base === "Ref" ? { kind: "record", table: target } : { kind: "records", table: target, isDirect: false };
    }
    return base === "Any" && column.isFormula ? this.#formulaResultType(column, table) : undefined;
  }

  #formulaResultType(column: DocumentColumn, table: string): InferredType | undefined {
    if (this.#inferredByColumn.has(column)) return this.#inferredByColumn.get(column);
    if (this.#formulaDepth >= MAX_FORMULA_DEPTH) return undefined;
    // The type of a column that depends on itself is unknown.
    this.#inferredByColumn.set(column, undefined);
    this.#formulaDepth++;
    const known = asIndirect(this.#read(column.formula, recordGlobals(table))?.known);
    this.#formulaDepth--;
    const isCell = known?.kind === "record" || known?.kind === "records";
    this.#inferredByColumn.set(column, isCell ? known : undefined);
    return isCell ? known : undefined;
  }
}

const recordGlobals = (table: string): ReadonlyMap<string, InferredType> =>
  new Map([["rec", { kind: "record", table }]]);

/** A named character escape, which is valid Python even if its name is not supported. */
const NAMED_CHARACTER = /(?<!\\)((?:\\\\)*)\\N\{[\w -]*\}/g;

function parseLenient(text: string): { source: Source; fn: FunctionBody } | undefined {
  const source = prepareSource(text.replace(NAMED_CHARACTER, (whole) => "?".repeat(whole.length)));
  try {
    const formula = parseFormula(source);
    return formula.kind === "function" ? { source, fn: formula.fn } : undefined;
  } catch (error) {
    if (error instanceof PyError) return undefined;
    throw error;
  }
}
