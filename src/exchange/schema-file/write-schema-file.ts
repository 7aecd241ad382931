import type * as Yaml from "yaml";
import type { SchemaFile } from "./model.ts";

// Loaded on first use.
const loadYaml = (): typeof Yaml => require("yaml") as typeof Yaml;

const COMMENT = ` Schema of a document: tables, columns, access rules, settings and webhooks. Data and pages are not part of it.
 Tables and columns are identified by their keys: change an id, and the table or column is renamed.`;

/** How a file is written: texts are never wrapped, so that a changed word changes one line. */
export const STYLE = { lineWidth: 0, minContentWidth: 0, flowCollectionPadding: false } as const;

/** Returns the text of a schema file. Equal schemas have equal texts. */
export function writeSchemaFile(file: SchemaFile): string {
  const { Document } = loadYaml();
  const document = new Document(withoutEmptyParts(file), { aliasDuplicateObjects: false });
  document.commentBefore = COMMENT;
  return document.toString(STYLE);
}

const withoutEmptyParts = ({ webhooks = [], ...file }: SchemaFile): SchemaFile => ({
  ...file,
  ...(webhooks.length > 0 && { webhooks }),
});
