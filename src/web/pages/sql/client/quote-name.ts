/** Keywords of SQLite that cannot be used as names. */
const RESERVED_WORDS = new Set(
  (
    "add all alter and as autoincrement between case check collate commit constraint create default deferrable delete " +
    "distinct drop else escape except exists foreign from full group having in index inner insert intersect into is isnull " +
    "join left limit natural not nothing notnull null on or order outer primary references returning right select set " +
    "table then to transaction union unique update using values when where current_date current_time current_timestamp " +
    "cross"
  ).split(" "),
);

/** Returns the name of a table or column for a query, quoted where needed. */
export const quoteSqlName = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !RESERVED_WORDS.has(name.toLowerCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`;
