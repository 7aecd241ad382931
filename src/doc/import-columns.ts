import { AppError, invalid } from "../errors.ts";
import { columnLetterOf, type TypedColumn } from "../exchange/infer-tables.ts";
import type { ColumnInfo, TableInfo } from "./schema.ts";

/** Columns of a table by labels or letters of columns of a file; null leaves a column out. */
export type ColumnMapping = Readonly<Record<string, string | null>>;

/** True for a column whose values a formula computes. */
export const isComputed = ({ isFormula, formula }: ColumnInfo): boolean => isFormula && formula !== "";

/**
 * Returns the columns of a table that a request names for columns of a file, and the columns that it leaves out.
 * @param table with the columns that the caller sees
 * @throws AppError `column.unknown`; `invalid` for a computed column, and one that is named twice
 */
export function mapColumns(
  table: TableInfo,
  sources: readonly TypedColumn[],
  mapping: ColumnMapping,
): { matches: Map<TypedColumn, ColumnInfo>; leftOut: ReadonlySet<TypedColumn> } {
  const matches = new Map<TypedColumn, ColumnInfo>();
  const leftOut = new Set<TypedColumn>();
  const taken = new Set<ColumnInfo>();
  for (const [name, id] of Object.entries(mapping)) {
    const found = sourcesNamed(sources, name);
    const [source] = found;
    if (!source) throw new AppError("column.unknown", `The file has no column ${quoteName(name)}`);
    if (id === null) {
      for (const one of found) leftOut.add(one);
      continue;
    }
    const column = writableColumn(table, id);
    if (taken.has(column)) throw invalid(`columns names the column ${quoteName(id)} twice`);
    if (matches.has(source) || leftOut.has(source)) throw invalid(`columns names ${quoteName(name)} of the file twice`);
    taken.add(column);
    matches.set(source, column);
  }
  return { matches, leftOut };
}

/** Returns the columns with a label, or the one with a letter where none has this label. */
function sourcesNamed(sources: readonly TypedColumn[], name: string): readonly TypedColumn[] {
  const labelled = name === "" ? [] : sources.filter(({ label }) => label === name);
  return labelled.length > 0 ? labelled : sources.filter(({ at }) => columnLetterOf(at) === name);
}

function writableColumn({ id: table, columnById }: TableInfo, id: string): ColumnInfo {
  const column = columnById.get(id);
  if (!column || column.isHidden) throw new AppError("column.unknown", `Table ${table} has no column ${quoteName(id)}`);
  if (isComputed(column)) throw invalid(`Column ${quoteName(id)} is computed by a formula: it cannot be imported`);
  return column;
}

export const quoteName = (name: string): string => JSON.stringify(name.slice(0, 100));
