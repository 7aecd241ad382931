import { usageError, type CommandInput } from "../command.ts";
import { fetchJson } from "./call-server.ts";
import { resolveDocument } from "./document.ts";
import { createWriter, FORMATS, type Row } from "./formats.ts";
import { openOutput, stopSignal } from "./output.ts";
import { choiceOf } from "./records.ts";

/** Runs a query, and prints its result. */
export async function runSql(input: CommandInput): Promise<number> {
  const { context, operands, lists, options, switches } = input;
  const [name = "", given] = operands;
  const format = choiceOf(input, { name: "format", values: FORMATS, fallback: "table" });
  const timeout = options["timeout"];
  if (timeout !== undefined && !/^\d{1,9}$/.test(timeout))
    throw usageError("--timeout must be milliseconds, such as 500");
  const signal = stopSignal(context);
  const { server, path } = await resolveDocument(input, name, { signal });
  const sql = given ?? (await context.stdin());
  const args = (lists["arg"] ?? []).map(argOf);
  const body = { sql, args, ...(timeout !== undefined && { timeout: Number(timeout) }) };
  const { records } = await fetchJson<{ records: Row[] }>(server, `${path}/sql`, { method: "POST", body, signal });
  const columns = Object.keys(records[0]?.fields ?? {});
  const escapesFormulas = switches.has("escape-formulas");
  const writer = createWriter(format, await openOutput(context), { columns, hasId: false, escapesFormulas });
  if (records.length === 0 || (await writer.rows(records))) await writer.end();
  return 0;
}

/** Numbers, true, false, null and texts in double quotes are what they are in JSON; everything else is a text. */
function argOf(text: string): string | number | boolean | null {
  if (!/^(-?\d|true$|false$|null$|")/.test(text)) return text;
  try {
    return JSON.parse(text) as string | number | boolean | null;
  } catch {
    return text;
  }
}
