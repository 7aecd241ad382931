import { quote } from "../sqlite/quote.ts";
import type { OpenDocument } from "./document.ts";

export interface TextReplacement {
  readonly find: string;
  readonly by: string;
  readonly matchCase?: boolean | undefined;
}

/** Replaces each occurrence of a text, by default whatever its case. */
export function replaceText(text: string, { find, by, matchCase = false }: TextReplacement): string {
  if (matchCase) return text.replaceAll(find, () => by);
  const pattern = new RegExp(find.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), "giu");
  return text.replaceAll(pattern, () => by);
}

/** Returns the cells of a column whose texts change, among the rows with these ids. */
export function replaceInColumn(
  { db }: OpenDocument,
  { table, column, ids }: { table: string; column: string; ids: readonly number[] },
  replacement: TextReplacement,
): { ids: number[]; values: string[] } {
  const listed = new Set(ids);
  const changed: { ids: number[]; values: string[] } = { ids: [], values: [] };
  for (const [id, text] of db.values(`select id, ${quote(column)} from ${quote(table)} order by id`)) {
    if (typeof text !== "string" || !listed.has(Number(id))) continue;
    const replaced = replaceText(text, replacement);
    if (replaced === text) continue;
    changed.ids.push(Number(id));
    changed.values.push(replaced);
  }
  return changed;
}
