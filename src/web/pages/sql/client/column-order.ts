/**
 * Returns the column names of a result in order. JavaScript objects put integer-like names first, and `select Name, 1`
 * has such a name; in that case the order is parsed from the JSON text.
 */
export function columnOrder(answer: string, record: Readonly<Record<string, unknown>> | undefined): string[] {
  const names = Object.keys(record ?? {});
  if (!names.some((name) => /^\d+$/.test(name))) return names;
  const start = findFirstRecord(answer);
  const ordered = start < 0 ? [] : readNames(answer, start);
  return ordered.length === names.length ? ordered : names;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** After `{"statement":"…","records":[{"fields":{`. */
function findFirstRecord(answer: string): number {
  const statement = /^\s*\{\s*"statement"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"records"\s*:\s*\[\s*\{\s*"fields"\s*:\s*\{/y;
  statement.lastIndex = 0;
  return statement.test(answer) ? statement.lastIndex : -1;
}

function readNames(answer: string, start: number): string[] {
  const names: string[] = [];
  let depth = 1;
  let isName = true;
  TOKENS.lastIndex = start;
  for (let token = TOKENS.exec(answer)?.[0]; token !== undefined; token = TOKENS.exec(answer)?.[0]) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && token === ",") isName = true;
    else if (depth === 1 && isName && token !== ":") {
      names.push(JSON.parse(token) as string);
      isName = false;
    }
    if (depth === 0) break;
  }
  return names;
}
