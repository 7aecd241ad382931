import { invalid } from "../errors.ts";
import { validate } from "../payload.ts";
import { ImportOptions, TableImportOptions } from "../wire/documents/imports.ts";

type Fields = Readonly<Record<string, string>>;

/** Fields that contain a JSON text: what they must be. */
const JSON_FIELDS: ReadonlyMap<string, string> = new Map([
  ["types", "a JSON object"],
  ["columns", "a JSON object"],
  ["key", "a JSON list"],
  ["sheets", "a JSON list"],
  ["leaveOut", "a JSON list"],
]);

/**
 * Parses the import options in the fields of a form. They have the same form as in JSON, with `types` as a JSON text.
 * @throws AppError `invalid` for an invalid field
 */
export const parseImportOptions = (fields: Fields): ImportOptions =>
  validate(ImportOptions, pickFields(fields, ImportOptions), "form");

/** Like `parseImportOptions`, with the options for an existing table; `columns` and `key` are JSON texts, too. */
export const parseTableImportOptions = (fields: Fields): TableImportOptions =>
  validate(TableImportOptions, pickFields(fields, TableImportOptions), "form");

function pickFields(fields: Fields, { shape }: { readonly shape: object }): Record<string, unknown> {
  const names = Object.keys(shape).filter((name) => (fields[name] ?? "") !== "");
  return Object.fromEntries(names.map((name) => [name, parseField(name, fields[name] ?? "")]));
}

function parseField(name: string, text: string): unknown {
  const form = JSON_FIELDS.get(name);
  if (form === undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`${name} must be ${form}`);
  }
}
