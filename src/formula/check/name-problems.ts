/** Names in a formula that nothing has, each with the name that it most likely means. */
import { closestName } from "../../lib/closest-name.ts";
import { GLOBALS } from "../builtins/registry.ts";
import type { CompiledFormula } from "../formula.ts";
import { findNameReferences } from "../names/reference-finder.ts";
import type { DocumentTables } from "../names/walk-context.ts";
import type { Span } from "../parser/ast.ts";
import { findNameSpans } from "./problem-spans.ts";

/** A part of the text that is not valid; offsets in UTF-16 code units of the formula. */
export type NameProblem = Span &
  (
    | { readonly kind: "column"; readonly table: string; readonly name: string; readonly suggestion: string | null }
    | { readonly kind: "name"; readonly name: string; readonly suggestion: string | null }
  );

export interface CheckedNames {
  readonly formula: CompiledFormula;
  /** The table of the formula. */
  readonly table: string;
  readonly tables: DocumentTables;
  readonly isTrigger: boolean;
}

/** Attributes of records and tables that are not columns. */
const ATTRIBUTES: ReadonlySet<string> = new Set(["id", "manualSort", "find", "_find"]);

/** Returns the problems in text order. */
export function findNameProblems({ formula, table, tables, isTrigger }: CheckedNames): NameProblem[] {
  const columns = findNameReferences(formula.text, table, tables).flatMap((reference): NameProblem[] => {
    if (reference.kind !== "column" || ATTRIBUTES.has(reference.column)) return [];
    const { table: owner, column: name, from, to } = reference;
    const columnById = tables.tableById.get(owner)?.columnById;
    if (!columnById || columnById.has(name)) return [];
    return [{ kind: "column", table: owner, name, from, to, suggestion: closestName(name, columnById.keys()) ?? null }];
  });
  const unknown = new Set([...formula.reads.globals].filter((name) => !isKnown(name, tables, isTrigger)));
  const candidates = [...tables.tableById.keys(), ...GLOBALS.keys()];
  const names = [...findNameSpans(formula.text, unknown)].map(([name, span]): NameProblem => ({
    kind: "name",
    name,
    ...span,
    suggestion: closestName(name, candidates) ?? null,
  }));
  return [...columns, ...names].toSorted((a, b) => a.from - b.from);
}

function isKnown(name: string, { tableById }: DocumentTables, isTrigger: boolean): boolean {
  if (name === "rec" || name === "table" || GLOBALS.has(name) || tableById.has(name)) return true;
  return isTrigger && (name === "value" || name === "user");
}
