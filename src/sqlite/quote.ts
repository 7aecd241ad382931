/** Quotes an SQL identifier: the only way to put table and column names into SQL text. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
