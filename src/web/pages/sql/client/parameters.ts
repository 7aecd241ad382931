/** The parameters of a query, and parsing of their values. */

/** Texts, quoted names and comments, in which a question mark is literal; otherwise a parameter. */
const SQL_TOKENS =
  /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|(?<parameter>[$@:#](?:[\w$\u0080-\uffff]|::)+|\?\d*)|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/g;

/** More fields than that are of no use. */
const MAX_PARAMETERS = 50;

/** Returns the names of the parameters of a query, in the order of their values. */
export function findParameters(sql: string): string[] {
  const names: string[] = [];
  for (const { groups = {} } of sql.matchAll(SQL_TOKENS)) {
    const { parameter } = groups;
    if (parameter === undefined) continue;
    const position = /^\?(\d+)$/.exec(parameter)?.[1];
    if (position !== undefined) {
      const count = Math.min(Number(position), MAX_PARAMETERS);
      while (names.length < count) names.push(`?${names.length + 1}`);
    } else if (parameter === "?") names.push(`?${names.length + 1}`);
    else if (!names.includes(parameter)) names.push(parameter);
  }
  return names.slice(0, MAX_PARAMETERS);
}

export type ParameterValue = string | number | boolean | null;

/** Returns the input that is parsed as a value. */
export function inputOf(value: ParameterValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return parseParameterValue(value) === value ? value : `'${value}'`;
}

/**
 * Parses a value: empty is null, `12.5` a number, `true` and `false` booleans, everything else and quoted input a text.
 */
export function parseParameterValue(input: string): ParameterValue {
  const text = input.trim();
  if (text === "" || text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return Number(text);
  const unquoted = /^(["'])([^]*)\1$/.exec(text)?.[2];
  return unquoted ?? input;
}
