/** An SQL identifier in double quotes: the one way names of tables and columns get into SQL text. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
