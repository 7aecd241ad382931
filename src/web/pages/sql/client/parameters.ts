/** The parameters of a query, and what is typed for them. */

/** Texts, names in quotes and comments, where a question mark is just that; else a parameter. */
const SQL_TOKENS =
  /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|(?<parameter>[$@:#](?:[\w$\u0080-\uffff]|::)+|\?\d*)|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/g;

/** More fields than that help nobody. */
const MAX_PARAMETERS = 50;

/** What the parameters of a query are called, in the order in which their values are given. */
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

/** Nothing is null, `12.5` a number, `true` and `false` what they say, and everything else a text; so is what stands in quotes. */
export function parseParameterValue(input: string): ParameterValue {
  const text = input.trim();
  if (text === "" || text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return Number(text);
  const unquoted = /^(["'])([^]*)\1$/.exec(text)?.[2];
  return unquoted ?? input;
}
