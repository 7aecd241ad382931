/**
 * Runs the formulas of a block: each ends with a line `… # → result`, and the result is a formula, too. Both become
 * formula columns of a table of the sample document, and have to give the same value in one of its rows.
 */
import type { Block } from "./blocks.ts";
import type { Call } from "./sample-document.ts";

interface FormulaExample {
  /** The line of the page on which it ends. */
  readonly line: number;
  readonly formula: string;
  /** As the page shows it; null if the page shows none, and the formula only has to succeed. */
  readonly result: string | null;
}

/** Returns the formulas whose values differ from the results, with both. */
export async function checkFormulas(block: Block, call: Call, document: string): Promise<string[]> {
  const { table = "Orders", row = "1" } = block.attributes;
  const examples = formulasOf(block);
  const columns = examples.flatMap(({ formula, result }, i) => [
    column(`Example_${i}`, formula),
    column(`Result_${i}`, result === null || result.includes("…") ? "None" : resultFormula(result)),
  ]);
  await call("POST", `/docs/${document}/tables/${table}/columns`, { columns });
  const filter = encodeURIComponent(JSON.stringify({ id: [Number(row)] }));
  type Records = { records: { fields: Record<string, unknown>; errors?: Record<string, string> }[] };
  const { records } = await call<Records>("GET", `/docs/${document}/tables/${table}/records?filter=${filter}`);
  const [record] = records;
  if (!record) throw new Error(`table ${table} of the sample document has no row ${row}`);
  const removals = columns.map(({ id }) => ["RemoveColumn", table, id]);
  await call("POST", `/docs/${document}/apply`, removals);

  return examples.flatMap(({ line, formula, result }, i) => {
    const error = record.errors?.[`Example_${i}`];
    const got = error ?? textOf(record.fields[`Example_${i}`]);
    const wanted = expectedText(result, error, record.fields[`Result_${i}`]);
    if (wanted.test(got)) return [];
    const shown = result ?? "any value";
    return [`${block.page}:${line}: ${formula}\n--- the page shows\n    ${shown}\n--- got\n    ${got}`];
  });
}

function formulasOf(block: Block): FormulaExample[] {
  const examples: FormulaExample[] = [];
  let lines: string[] = [];
  const text = block.text.trimEnd().split("\n");
  for (const [i, line] of text.entries()) {
    const [, code = line, result] = /^(.*?)\s*# → (.*)$/.exec(line) ?? [];
    lines.push(code);
    if (result === undefined && i < text.length - 1) continue;
    if (lines.some((each) => each.trim() !== ""))
      examples.push({
        line: block.line + 1 + i,
        formula: lines.join("\n").trim(),
        result: result?.trim() ?? null,
      });
    lines = [];
  }
  return examples;
}

const column = (id: string, formula: string) => ({ id, fields: { type: "Any", isFormula: true, formula } });

/** Dates and times are shown as ISO 8601. */
function resultFormula(result: string): string {
  const [, year, month, day, hour, minute] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d))?$/.exec(result)?.map(Number) ?? [];
  if (year === undefined) return result;
  return Number.isNaN(hour)
    ? `datetime.date(${year}, ${month}, ${day})`
    : `datetime.datetime(${year}, ${month}, ${day}, ${hour}, ${minute})`;
}

/** Cell values of formulas: texts in quotes, as Python shows them. Computed numbers are compared to 12 digits. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "number" ? Number(part.toPrecision(12)) : part)) ?? "";

function expectedText(result: string | null, error: string | undefined, value: unknown): RegExp {
  if (result === null) return error === undefined ? /^/ : /^$/;
  if (result.includes("…")) return new RegExp(`^${result.split("…").map(RegExp.escape).join(".*")}$`);
  // The page names the exception that the formula raises.
  if (error !== undefined) return new RegExp(`^${RegExp.escape(result)}\\b`);
  return new RegExp(`^${RegExp.escape(textOf(value))}$`);
}
