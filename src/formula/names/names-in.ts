import { columnType } from "../../values/column-type.ts";
import type { FunctionBody } from "../ast.ts";
import { PyError } from "../errors.ts";
import { parseFormula } from "../parse.ts";
import { readSource, type Source } from "../source.ts";
import { kept, type Known } from "./known.ts";
import type { NamedPlace } from "./places.ts";
import type { NamedColumn, NamedTables } from "./walk.ts";
import { Walker } from "./walker.ts";

/**
 * The tables and columns that a formula of the table `owner` names, in the order of its text, and attributes of which
 * the text does not tell what they are of. None for a formula that is no Python.
 */
export function namesIn(text: string, owner: string, tables: NamedTables): NamedPlace[] {
  return new NameReader(tables).namesIn(text, owner);
}

/** A column that leads to others by what their formulas give may do so over this many formulas. */
const MAX_FORMULAS_AWAY = 20;

/** Finds what formulas name; keeps what it finds out about columns from one formula to the next. */
export class NameReader {
  readonly #tables: NamedTables;
  readonly #results = new Map<NamedColumn, Known | undefined>();
  #formulasAway = 0;

  /** `tables` must not change while this is in use. */
  constructor(tables: NamedTables) {
    this.#tables = tables;
  }

  /** See above. */
  namesIn(text: string, owner: string): NamedPlace[] {
    return this.namesWith(text, recordOf(owner));
  }

  /** The same of a formula where other names are given. */
  namesWith(text: string, globals: ReadonlyMap<string, Known>): NamedPlace[] {
    return this.#read(text, globals)?.places ?? [];
  }

  #read(text: string, globals: ReadonlyMap<string, Known>): { places: NamedPlace[]; known: Known | undefined } | null {
    const parsed = parse(text);
    if (!parsed) return null;
    const cellsOf = (table: string, column: string) => this.#cellsOf(table, column);
    const walker = new Walker(parsed.source, { tables: this.#tables, globals, cellsOf });
    try {
      const known = walker.walk(parsed.fn);
      return { places: walker.places, known };
    } catch (error) {
      // The stack is exhausted: no program would compute such a formula.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** What is known of a column's cells, by its type or else by its formula. */
  #cellsOf(table: string, id: string): Known | undefined {
    const column = this.#tables.tableById.get(table)?.columnById.get(id);
    if (!column) return undefined;
    const { base, target } = columnType(column.type);
    if (target !== undefined) {
      return base === "Ref" ? { kind: "record", table: target } : { kind: "records", table: target, isDirect: false };
    }
    return base === "Any" && column.isFormula ? this.#resultOf(column, table) : undefined;
  }

  #resultOf(column: NamedColumn, table: string): Known | undefined {
    if (this.#results.has(column)) return this.#results.get(column);
    if (this.#formulasAway >= MAX_FORMULAS_AWAY) return undefined;
    // Nothing is known of a column that leads back to itself.
    this.#results.set(column, undefined);
    this.#formulasAway++;
    const known = kept(this.#read(column.formula, recordOf(table))?.known);
    this.#formulasAway--;
    const isCell = known?.kind === "record" || known?.kind === "records";
    this.#results.set(column, isCell ? known : undefined);
    return isCell ? known : undefined;
  }
}

const recordOf = (table: string): ReadonlyMap<string, Known> => new Map([["rec", { kind: "record", table }]]);

/** A character by its name, which is valid Python even if this program does not know it. */
const NAMED_CHARACTER = /(?<!\\)((?:\\\\)*)\\N\{[\w -]*\}/g;

function parse(text: string): { source: Source; fn: FunctionBody } | undefined {
  const source = readSource(text.replace(NAMED_CHARACTER, (whole) => "?".repeat(whole.length)));
  try {
    const formula = parseFormula(source);
    return formula.kind === "function" ? { source, fn: formula.fn } : undefined;
  } catch (error) {
    if (error instanceof PyError) return undefined;
    throw error;
  }
}
