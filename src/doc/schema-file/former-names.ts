import { replaceNames } from "../../formula/names/apply-name-replacement.ts";
import type { InferredType } from "../../formula/names/inferred-type.ts";
import type { NameReference } from "../../formula/names/name-references.ts";
import { NameReferenceFinder } from "../../formula/names/reference-finder.ts";
import type { ColumnInfo } from "../schema.ts";
import type { Application } from "./application.ts";

/**
 * Formulas of a file may name a table or column by its key, or by an id that it had before, if nothing has that id now:
 * then a file whose only change is an id renames, although its formulas contain the former id.
 */
export class FormerNames {
  /** Present ids of tables by former id. */
  readonly #tables = new Map<string, string>();
  /** Present ids of columns by former id, by the present id of their table. */
  readonly #columns = new Map<string, Map<string, string>>();
  readonly #finder: NameReferenceFinder;
  readonly #ruleFinder = new NameReferenceFinder({ tableById: new Map() });

  constructor(application: Application) {
    const { schema, match, wanted } = application;
    for (const table of wanted) {
      const info = application.tableOf(table);
      if (!info) continue;
      for (const name of formerIds(application, "table", { ref: info.ref, key: table.key })) {
        if (!schema.tableById.has(name) && !this.#tables.has(name)) this.#tables.set(name, info.id);
      }
      const columns = new Map<string, string>();
      for (const column of table.columns.values()) {
        const own = schema.columnByRef.get(match.columns.get(column) ?? 0);
        if (!own) continue;
        for (const name of formerIds(application, "column", { ref: own.ref, key: column.key })) {
          if (!info.columnById.has(name) && !columns.has(name)) columns.set(name, own.id);
        }
      }
      this.#columns.set(info.id, columns);
    }
    const tableById = new Map(
      schema.tables.map(({ id, columnById }) => {
        const former = [...(this.#columns.get(id) ?? [])].flatMap(([name, present]): [string, ColumnInfo][] => {
          const column = columnById.get(present);
          return column ? [[name, column]] : [];
        });
        return [id, { columnById: new Map([...columnById, ...former]) }] as const;
      }),
    );
    for (const [name, id] of this.#tables) {
      const table = tableById.get(id);
      if (table) tableById.set(name, table);
    }
    this.#finder = new NameReferenceFinder({ tableById });
  }

  /** Returns a formula of a table with present names. */
  inFormula(formula: string, table: string): string {
    if (!this.#mayContainFormer(formula)) return formula;
    return this.#replaced(formula, this.#finder.findReferences(formula, table));
  }

  /** Returns a condition of an access rule with present names. `table` is the one that the rule is for, if any. */
  inCondition(
    condition: string,
    { table, attributes }: { table: string | null; attributes: ReadonlyMap<string, string> },
  ): string {
    if (!this.#mayContainFormer(condition)) return condition;
    const looked = [...attributes].map(([name, of]): [string, InferredType] => [name, { kind: "record", table: of }]);
    const names = new Map<string, InferredType>([["user", { kind: "object", attributes: new Map(looked) }]]);
    if (table !== null) for (const name of ["rec", "newRec"]) names.set(name, { kind: "record", table });
    return this.#replaced(condition, this.#ruleFinder.findReferencesWithGlobals(condition, names));
  }

  #replaced(text: string, references: readonly NameReference[]): string {
    return replaceNames(text, references, (reference) => {
      if (reference.kind === "table") return this.#tables.get(reference.table);
      if (reference.kind !== "column") return undefined;
      const table = this.#tables.get(reference.table) ?? reference.table;
      return this.#columns.get(table)?.get(reference.column);
    });
  }

  /** A cheap test before parsing. */
  #mayContainFormer(text: string): boolean {
    const isIn = (name: string) => text.includes(name);
    return (
      [...this.#tables.keys()].some(isIn) || [...this.#columns.values()].some((names) => [...names.keys()].some(isIn))
    );
  }
}

/** Returns the names that a table or column had: its key, its ids in earlier files, and its id before the change. */
export function formerIds(
  { keys, before }: Application,
  kind: "table" | "column",
  { ref, key }: { ref: number; key: string },
): string[] {
  const info = kind === "table" ? before.tableByRef.get(ref) : before.columnByRef.get(ref);
  return [...new Set([...(info ? [info.id] : []), ...(keys.recorded(kind, ref)?.formerIds ?? []).toReversed(), key])];
}
