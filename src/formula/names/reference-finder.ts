import { columnType } from "../../values/column-type.ts";
import type { FunctionBody } from "../parser/ast.ts";
import { PyError } from "../runtime/errors.ts";
import { parseFormula } from "../parser/parse.ts";
import { prepareSource, type Source } from "../parser/source.ts";
import { asIndirect, type InferredType } from "./inferred-type.ts";
import type { NameReference } from "./name-references.ts";
import type { DocumentColumn, DocumentTables } from "./walk-context.ts";
import { FormulaWalker } from "./formula-walker.ts";

/**
 * The tables and columns that a formula of the table `owner` names, in the order of its text, and attributes of which
 * the text does not tell what they are of. None for a formula that is no Python.
 */
export function findNameReferences(text: string, owner: string, tables: DocumentTables): NameReference[] {
  return new NameReferenceFinder(tables).findReferences(text, owner);
}

/** A column that leads to others by what their formulas give may do so over this many formulas. */
const MAX_FORMULA_DEPTH = 20;

/** Finds what formulas name; keeps what it finds out about columns from one formula to the next. */
export class NameReferenceFinder {
  readonly #tables: DocumentTables;
  readonly #inferredByColumn = new Map<DocumentColumn, InferredType | undefined>();
  #formulaDepth = 0;

  /** `tables` must not change while this is in use. */
  constructor(tables: DocumentTables) {
    this.#tables = tables;
  }

  /** See above. */
  findReferences(text: string, owner: string): NameReference[] {
    return this.findReferencesWithGlobals(text, recordGlobals(owner));
  }

  /** The same of a formula where other names are given. */
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
      // The stack is exhausted: no program would compute such a formula.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** What is known of a column's cells, by its type or else by its formula. */
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
    // Nothing is known of a column that leads back to itself.
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

/** A character by its name, which is valid Python even if this program does not know it. */
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
