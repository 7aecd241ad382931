/** A function of the formula language, from its documentation. */
export interface FormulaFunction {
  /** `DATE(year, month, day)` */
  readonly signature: string;
  readonly about: string;
}

/** Returns the name in a signature. */
export const functionName = (signature: string): string => /^[\w.]+/.exec(signature)?.[0] ?? signature;

/** Parses the tables of docs/functions.md: every row that begins with a call. The last column has an example. */
export function parseFunctionTables(page: string): FormulaFunction[] {
  return page.split("\n").flatMap((line) => {
    const [, signature, about] = /^\| `([A-Z][\w.]*\(.*?\))` \| (.*) \| .* → .* \|$/.exec(line) ?? [];
    return signature && about ? [{ signature, about: about.replaceAll("`", "") }] : [];
  });
}
