import {
  SCHEMA_FILE_VERSION,
  type SchemaFile,
  type FileSummary,
  type FileTable,
} from "../../exchange/schema-file/model.ts";
import type { OpenDocument } from "../document.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";
import { groupingColumns, isGroupColumn, summariesOf } from "../actions/summaries/summary-columns.ts";
import { describeAccess } from "./describe-access.ts";
import { ColumnDescriber } from "./describe-column.ts";
import { describeWebhooks } from "./describe-webhooks.ts";
import { SchemaKeys } from "./schema-keys.ts";
import { UnknownNames } from "./unknown-names.ts";

/** Describes the schema of a document. Equal schemas have equal descriptions, in the same order. */
export function describeSchema(document: OpenDocument): SchemaFile {
  const keys = new SchemaKeys(document);
  return {
    version: SCHEMA_FILE_VERSION,
    document: describeSettings(document),
    tables: new TableDescriber(document, keys).tables(),
    access: describeAccess(document, keys),
    webhooks: describeWebhooks(document, keys),
  };
}

function describeSettings({ timezone, documentSettings: { locale, currency } }: OpenDocument) {
  return {
    timezone,
    ...(typeof locale === "string" && locale !== "" && { locale }),
    ...(typeof currency === "string" && currency !== "" && { currency }),
  };
}

export class TableDescriber {
  readonly #document: OpenDocument;
  readonly #keys: SchemaKeys;
  readonly #columns: ColumnDescriber;
  readonly #texts: ReadonlyMap<number, { title: string; description: string }>;

  constructor(document: OpenDocument, keys: SchemaKeys) {
    this.#document = document;
    this.#keys = keys;
    this.#columns = new ColumnDescriber(document.schema, keys, new UnknownNames(document.schema));
    this.#texts = rawSectionTexts(document);
  }

  tables(): Record<string, FileTable> {
    const { schema } = this.#document;
    return byKey(
      schema.tables
        .filter(({ summarySourceTable }) => !summarySourceTable)
        .map((table) => [this.#keys.ofTable(table.ref), this.table(table)]),
    );
  }

  table(table: TableInfo): FileTable {
    const { schema } = this.#document;
    const summaries = summariesOf(schema, table.ref).map((summary): [string, FileSummary] => [
      this.#keys.ofTable(summary.ref),
      this.summary(summary),
    ]);
    return {
      id: table.id,
      ...this.#tableTexts(table),
      ...(table.onDemand && { onDemand: true }),
      columns: this.#describeColumns(listedColumns(table)),
      ...(summaries.length > 0 && { summaries: byKey(summaries) }),
    };
  }

  summary(summary: TableInfo): FileSummary {
    return {
      groupBy: groupingColumns(summary)
        .toSorted((a, b) => a.summarySourceCol - b.summarySourceCol)
        .map(({ summarySourceCol }) => this.#keys.ofColumn(summarySourceCol))
        .toSorted(),
      ...this.#tableTexts(summary),
      columns: this.#describeColumns(listedColumns(summary)),
    };
  }

  #describeColumns(columns: readonly ColumnInfo[]) {
    return Object.fromEntries(
      columns.map((column) => [this.#keys.ofColumn(column.ref), this.#columns.describe(column)]),
    );
  }

  #tableTexts(table: TableInfo) {
    const { title = "", description = "" } = this.#texts.get(table.rawViewSectionRef) ?? {};
    return {
      ...(title !== "" && hasTitle(table) && { title }),
      ...(description !== "" && { description }),
    };
  }
}

/** Titles of summaries are derived. */
export const hasTitle = ({ summarySourceTable, rawViewSectionRef, recordCardViewSectionRef }: TableInfo): boolean =>
  summarySourceTable === 0 && rawViewSectionRef !== recordCardViewSectionRef;

/** Each summary has a column with this id for the rows of a group. It is listed in files only under another id. */
export const GROUP_ID = "group";

/** Returns the columns that are part of schema files, in the order of display. */
export const listedColumns = (table: TableInfo): ColumnInfo[] =>
  table.columns
    .filter((column) => !column.isHidden && column.summarySourceCol === 0)
    .filter((column) => !table.summarySourceTable || !isGroupColumn(column) || column.id !== GROUP_ID)
    .toSorted((a, b) => (a.position === b.position ? a.ref - b.ref : a.position - b.position));

function rawSectionTexts({ db, schema }: OpenDocument): ReadonlyMap<number, { title: string; description: string }> {
  const stored = schema.stored.get("_grist_views_section");
  if (!stored) return new Map();
  const description = stored.has("description") ? "description" : "''";
  const rows = db.values(`select id, title, ${description} from _grist_Views_section`);
  return new Map(
    rows.map(([id, title, about]) => [Number(id), { title: String(title ?? ""), description: String(about ?? "") }]),
  );
}

/** Returns an object with its keys in a fixed order. */
export const byKey = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
