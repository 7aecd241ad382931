import { invalid } from "../errors.ts";
import { validate } from "../payload.ts";
import { ImportOptions } from "../wire/documents/imports.ts";

/**
 * Parses the import options in the fields of a form. They have the same form as in JSON, with `types` as a JSON text.
 * @throws AppError `invalid` for an invalid field
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
