import { GLOBALS } from "../../formula/builtins/registry.ts";
import { replaceNames } from "../../formula/names/apply-name-replacement.ts";
import type { InferredType } from "../../formula/names/inferred-type.ts";
import type { NameReference } from "../../formula/names/name-references.ts";
import { NameReferenceFinder } from "../../formula/names/reference-finder.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import type { Application } from "./application.ts";
import type { WantedTable } from "./wanted-schema.ts";

/** Names that formulas have a meaning for where no table or column has them. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(["id", "rec", "newRec", "choice", "table", "user", "value"]);

const EMPTY: ReadonlySet<string> = new Set();

/**
 * Formulas of a file may name a table or column by its key, or by an id that it had before, if nothing has that id now:
 * then a file whose only change is an id renames, although its formulas contain the former id.
 */
export class FormerNames {
  readonly #application: Application;
  /** Present ids of tables by former id. */
  readonly #tables: ReadonlyMap<string, string>;
  /** Present ids of columns by former id, by the present id of their table. */
  readonly #columns = new Map<string, Map<string, string>>();
  /** By the names that they do not know. */
  readonly #finders = new Map<string, NameReferenceFinder>();
  readonly #ruleFinder = new NameReferenceFinder({ tableById: new Map() });

  constructor(application: Application) {
    this.#application = application;
    const { schema, wanted } = application;
    const tables = wanted.flatMap((table) => {
      const info = application.tableOf(table);
      return info ? [{ table, info }] : [];
    });
    const isFree = (name: string) => !schema.tableById.has(name) && !RESERVED_NAMES.has(name) && !GLOBALS.has(name);
    const named = tables.map(({ table: { key }, info: { ref, id } }) => ({
      id,
      names: formerNames(application, "table", { ref, key }),
    }));
    this.#tables = presentIds(named, isFree);
    for (const { table, info } of tables) this.#columns.set(info.id, this.#formerColumns(table, info));
  }

  #formerColumns({ columns }: WantedTable, { columnById }: TableInfo): Map<string, string> {
    const named = [...columns.values()].flatMap((column) => {
      const own = this.#application.columnOf(column);
      return own
        ? [{ id: own.id, names: formerNames(this.#application, "column", { ref: own.ref, key: column.key }) }]
        : [];
    });
    return presentIds(named, (name) => name !== "id" && !columnById.has(name));
  }

  /** Returns a formula of a table with present names. `unknownNames` stay as they are. */
  inFormula(
    formula: string,
    { table, unknownNames = [] }: { table: string; unknownNames?: readonly string[] | undefined },
  ): string {
    if (!this.#mayContainFormer(formula)) return formula;
    const references = this.#finderWithout(unknownNames).findReferences(formula, table);
    return this.#replaced(formula, references, new Set(unknownNames));
  }

  /** Returns a condition of an access rule or of a list of choices with present names. */
  inCondition(condition: string, globals: ReadonlyMap<string, InferredType>): string {
    if (!this.#mayContainFormer(condition)) return condition;
    return this.#replaced(condition, this.#ruleFinder.findReferencesWithGlobals(condition, globals), EMPTY);
  }

  #replaced(text: string, references: readonly NameReference[], unknown: ReadonlySet<string>): string {
    return replaceNames(text, references, (reference) => {
      if (reference.kind === "attribute") return undefined;
      const table = this.#tables.get(reference.table);
      if (reference.kind === "table") return table;
      if (unknown.has(reference.column)) return undefined;
      return this.#columns.get(table ?? reference.table)?.get(reference.column);
    });
  }

  #finderWithout(unknownNames: readonly string[]): NameReferenceFinder {
    const name = unknownNames.join();
    const finder = this.#finders.get(name) ?? this.#createFinder(new Set(unknownNames));
    this.#finders.set(name, finder);
    return finder;
  }

  #createFinder(unknown: ReadonlySet<string>): NameReferenceFinder {
    const tableById = new Map(
      this.#application.schema.tables.map(({ id, columnById }) => {
        const former = [...(this.#columns.get(id) ?? [])].flatMap(([name, present]): [string, ColumnInfo][] => {
          const column = unknown.has(name) ? undefined : columnById.get(present);
          return column ? [[name, column]] : [];
        });
        return [id, { columnById: new Map([...columnById, ...former]) }] as const;
      }),
    );
    for (const [name, id] of this.#tables) {
      const table = tableById.get(id);
      if (table && !unknown.has(name)) tableById.set(name, table);
    }
    return new NameReferenceFinder({ tableById });
  }

  /** A cheap test before parsing. */
  #mayContainFormer(text: string): boolean {
    const isIn = (name: string) => text.includes(name);
    return (
      [...this.#tables.keys()].some(isIn) || [...this.#columns.values()].some((names) => [...names.keys()].some(isIn))
    );
  }
}

/** Returns the names of variables for records of tables. */
export const recordGlobals = (
  tables: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, InferredType> =>
  new Map(
    Object.entries(tables).flatMap(([name, table]): [string, InferredType][] =>
      table === undefined ? [] : [[name, { kind: "record", table }]],
    ),
  );

interface Names {
  /** The id before the change, which formulas of a file contain that was read then; null for what is new. */
  readonly before: string | null;
  /** Ids that earlier files had, newest first. */
  readonly recorded: readonly string[];
  readonly key: string;
}

function formerNames(
  application: Application,
  kind: "table" | "column",
  { ref, key }: { ref: number; key: string },
): Names {
  if (application.isNew(kind, ref)) return { before: null, recorded: [], key };
  const { keys, before } = application;
  const info = kind === "table" ? before.tableByRef.get(ref) : before.columnByRef.get(ref);
  return { before: info?.id ?? null, recorded: (keys.recorded(kind, ref)?.formerIds ?? []).toReversed(), key };
}

/** Returns present ids by former names. Of several that had a name, it means the one with the name before the change. */
function presentIds(
  items: readonly { readonly id: string; readonly names: Names }[],
  isFree: (name: string) => boolean,
): Map<string, string> {
  const ids = new Map<string, string>();
  const add = (name: string, id: string) => {
    if (isFree(name) && !ids.has(name)) ids.set(name, id);
  };
  for (const { id, names } of items) if (names.before !== null) add(names.before, id);
  for (const { id, names } of items) for (const name of names.recorded) add(name, id);
  for (const { id, names } of items) add(names.key, id);
  return ids;
}

/** Returns the ids that a table or column had, newest first: before the change, and in earlier files. */
export function formerIds(
  application: Application,
  kind: "table" | "column",
  item: { ref: number; key: string },
): string[] {
  const { before, recorded } = formerNames(application, kind, item);
  return [...new Set([...(before === null ? [] : [before]), ...recorded])];
}
