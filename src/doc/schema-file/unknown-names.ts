import { mayBeTable } from "../../formula/formula.ts";
import { NameReferenceFinder } from "../../formula/names/reference-finder.ts";
import { pickColumnId, pickTableId } from "../identifiers.ts";
import { isHiddenColumn, type Schema } from "../schema.ts";

/**
 * Finds names of tables and columns in formulas that do not exist, such as those of removed columns. Files list them: a
 * name that is not listed can be a key or a former id.
 */
export class UnknownNames {
  readonly #schema: Schema;
  readonly #finder: NameReferenceFinder;

  constructor(schema: Schema) {
    this.#schema = schema;
    const { tableById } = schema;
    const has = (name: string) => tableById.has(name) || mayBeTable(name);
    this.#finder = new NameReferenceFinder({ tableById: { has, get: (name) => tableById.get(name) } });
  }

  /** Returns the names in formulas of a table, in alphabetical order. */
  inFormulas(formulas: readonly string[], owner: string): string[] {
    const references = formulas.flatMap((formula) => this.#finder.findReferences(formula, owner));
    const names = references.flatMap((reference) => {
      if (reference.kind === "table") return this.#isUnknownTable(reference.table) ? [reference.table] : [];
      if (reference.kind !== "column") return [];
      return this.#isUnknownColumn(reference.table, reference.column) ? [reference.column] : [];
    });
    return [...new Set(names)].toSorted();
  }

  #isUnknownTable(name: string): boolean {
    return !this.#schema.tableById.has(name) && pickTableId(name, []) === name;
  }

  /** Other attributes of records, such as `id`, cannot be ids of columns in files. */
  #isUnknownColumn(table: string, name: string): boolean {
    const known = this.#schema.tableById.get(table);
    if (!known || known.columnById.has(name)) return false;
    // The column with the rows of a group is not part of files, so a summary that lacks it is described like others.
    if (known.summarySourceTable > 0 && name === "group") return false;
    return pickColumnId(name, []) === name && !isHiddenColumn(name);
  }
}
