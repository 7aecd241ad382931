import { invalid } from "../errors.ts";
import { shaped } from "../payload.ts";
import { ImportChoices } from "../wire/imports.ts";

/**
 * What the fields of a form say about reading its file: as JSON does, with `types` as a JSON text.
 * @throws AppError `invalid` for a field of the wrong form
 */
export function choicesOf(fields: Readonly<Record<string, string>>): ImportChoices {
  const names = Object.keys(ImportChoices.shape).filter((name) => (fields[name] ?? "") !== "");
  const given = names.map((name) => [name, name === "types" ? parsed(fields[name] ?? "") : fields[name]]);
  return shaped(ImportChoices, Object.fromEntries(given), "form");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("types must be a JSON object");
  }
}
