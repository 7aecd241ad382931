import { invalid } from "../errors.ts";
import { validate } from "../payload.ts";
import { ImportOptions } from "../wire/documents/imports.ts";

/**
 * What the fields of a form say about reading its file: as JSON does, with `types` as a JSON text.
 * @throws AppError `invalid` for a field of the wrong form
 */
export function parseImportOptions(fields: Readonly<Record<string, string>>): ImportOptions {
  const names = Object.keys(ImportOptions.shape).filter((name) => (fields[name] ?? "") !== "");
  const entries = names.map((name) => [name, name === "types" ? parseJsonField(fields[name] ?? "") : fields[name]]);
  return validate(ImportOptions, Object.fromEntries(entries), "form");
}

function parseJsonField(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("types must be a JSON object");
  }
}
