/** Texts and comments, which name no tables. */
const LITERALS = /'(?:[^']|'')*'|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g;

/** Replaces the texts and comments of a statement by blanks of the same length, so that places stay the same. */
export const blankLiterals = (sql: string): string => sql.replaceAll(LITERALS, (text) => " ".repeat(text.length));
