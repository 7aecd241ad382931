import { applyUserActions } from "../../../src/doc/actions/apply-user-actions.ts";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { type SchemaChange, schemaFileActions } from "../../../src/doc/schema-file/apply-schema-file.ts";
import { describeSchema } from "../../../src/doc/schema-file/describe-schema.ts";
import { parseSchemaFile } from "../../../src/exchange/schema-file/parse-schema-file.ts";
import { writeSchemaFile } from "../../../src/exchange/schema-file/write-schema-file.ts";
import { ANN } from "../actions/scratch.ts";

/** Returns the schema file of a document. */
export const pulled = (document: OpenDocument): string => writeSchemaFile(describeSchema(document));

/** Applies a schema file as an owner, and returns the changes. */
export function applyFile(
  document: OpenDocument,
  text: string,
  { allowDataLoss = true }: { allowDataLoss?: boolean } = {},
): readonly SchemaChange[] {
  const { file, problems } = parseSchemaFile(text);
  const { actions, applied } = schemaFileActions(document, { file, problems, user: ANN, allowDataLoss });
  applyUserActions(document, actions, { parse: false, user: ANN, nowMs: 0 });
  document.onChanged({ schema: true });
  return applied.changes;
}
