import type { OpenDocument } from "../../../src/doc/document.ts";
import { AppError } from "../../../src/errors.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import { grantOf, textOf } from "../read/sample.ts";

/** How a filter is evaluated: by SQLite where it can, for a caller under rules, or while a response is streamed. */
export const STORES = ["sql", "rules"] as const;
export type Store = (typeof STORES)[number];

/** A rule by which the caller of the store `rules` sees all rows, but each only after a look at it. */
export const ROW_RULE = { formula: "user.Access != OWNER and rec.id > 1000000", permissions: "-R" } as const;

/** Returns the ids of the records that a filter selects; the refusal's code instead of them. */
export function idsOf(
  document: OpenDocument,
  { table, filter, store = "sql" }: { table: string; filter: unknown; store?: Store },
): number[] | string {
  const args = { table, filter: JSON.stringify(filter), hidden: false, typed: false };
  try {
    const role = store === "sql" ? "owners" : "viewers";
    const answer = readVerbs["records.fetch"].run(document, grantOf("sample", role), args);
    return (JSON.parse(textOf(document, answer)) as { records: { id: number }[] }).records.map(({ id }) => id);
  } catch (error) {
    if (error instanceof AppError) return error.reason;
    throw error;
  }
}
