import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anonymous, type DocumentGrant, NO_REQUEST_INFO } from "../../../src/authorization.ts";
import { createDocumentFile } from "../../../src/doc/create-document.ts";
import { OpenDocument, type OpenDocumentOptions } from "../../../src/doc/document.ts";
import type { Rendered } from "../../../src/hosts/documents.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import { must } from "../../../src/lib/assert.ts";
import type { Database, SqlValue } from "../../../src/sqlite/database.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { columnType } from "../../../src/values/column-type.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

export interface SampleTable {
  readonly id: string;
  /** Types by column id; `manualSort` is added where missing and filled with the row's number. */
  readonly columns: Readonly<Record<string, string>>;
  readonly widgetOptions?: Readonly<Record<string, unknown>>;
  readonly rows?: readonly Readonly<Record<string, CellValue>>[];
}

/** Stores a table in a document's file directly, bypassing all code that writes. */
export function addSampleTable(db: Database, table: SampleTable): void {
  const columns = { manualSort: "ManualSortPos", ...table.columns };
  db.transaction(() => {
    const ref = must(db.get<{ ref: number }>("select max(id) + 1 as ref from _grist_Tables")).ref;
    db.run("insert into _grist_Tables (id, tableId) values (?, ?)", ref, table.id);
    for (const [id, type] of Object.entries(columns)) {
      const options = table.widgetOptions?.[id];
      db.run(
        "insert into _grist_Tables_column (parentId, colId, type, label, widgetOptions) values (?, ?, ?, ?, ?)",
        ref,
        id,
        type,
        id,
        options === undefined ? "" : JSON.stringify(options),
      );
    }
    const declared = Object.entries(columns).map(([id, text]) => {
      const type = columnType(text);
      return `${quote(id)} ${type.sqlType} default ${type.sqlDefault}`;
    });
    db.exec(`create table ${quote(table.id)} (id integer primary key, ${declared.join(", ")})`);
    insertRows(db, table.id, { columns, rows: table.rows ?? [] });
  });
}

function insertRows(
  db: Database,
  table: string,
  { columns, rows }: { columns: Record<string, string>; rows: readonly Readonly<Record<string, CellValue>>[] },
): void {
  const names = Object.keys(columns);
  const sql = `insert into ${quote(table)} (id, ${names.map(quote).join(", ")}) values (?, ${names.map(() => "?").join(", ")})`;
  rows.forEach((row, at) => {
    const cells = names.map((name): SqlValue => {
      const type = columnType(must(columns[name]));
      const value = name in row ? must({ value: row[name] }).value : name === "manualSort" ? at + 1 : type.defaultValue;
      return type.encode(value ?? null);
    });
    db.run(sql, Number(row["id"] ?? at + 1), ...cells);
  });
}

let emptyFile: Uint8Array | undefined;

/** Created once: writing a new file takes longer than all reads. */
function makeEmptyFile(): Uint8Array {
  const path = join(tempFolder(), "empty.grist");
  createDocumentFile(path);
  return readFileSync(path);
}

/** A document in a fresh folder with the given tables, besides the initial empty one. */
export function sampleDocument(tables: readonly SampleTable[], options?: OpenDocumentOptions): OpenDocument {
  const path = join(tempFolder(), "document.grist");
  emptyFile ??= makeEmptyFile();
  writeFileSync(path, emptyFile);
  const document = new OpenDocument(path, { durability: "normal", ...options });
  for (const table of tables) addSampleTable(document.db, table);
  document.onCommitted({ schema: true });
  return document;
}

/** A minimal grant, usually created by `services/access/guards.ts`, with the properties that verbs use. */
export const grantOf = (uuid: string, role: DocumentGrant["role"] = "owners"): DocumentGrant =>
  ({
    uuid,
    role,
    documentId: 1,
    workspaceId: 1,
    orgId: 1,
    actor: anonymous,
    request: NO_REQUEST_INFO,
  }) as unknown as DocumentGrant;

/** Returns the whole text of a response, with its chunks joined. */
export function textOf(document: OpenDocument, answer: Rendered): string {
  if (answer.kind === "unchanged") throw new Error("unchanged");
  if (answer.kind === "bytes") return decode(answer.bytes);
  const parts = [answer.first];
  for (let next = document.cursors.next(answer.cursor); next; next = document.cursors.next(answer.cursor)) {
    parts.push(next);
  }
  return decode(Buffer.concat(parts));
}

export const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

type RecordQuery = Partial<Parameters<(typeof readVerbs)["records.fetch"]["run"]>[2]> & { table: string };

export interface SampleRecord {
  readonly id: number;
  readonly fields: Record<string, CellValue>;
  readonly errors?: Record<string, string>;
}

/** Returns records as a caller receives them. */
export function fetchRecords(document: OpenDocument, query: RecordQuery): SampleRecord[] {
  const answer = readVerbs["records.fetch"].run(document, grantOf("sample"), { hidden: false, typed: false, ...query });
  return (JSON.parse(textOf(document, answer)) as { records: SampleRecord[] }).records;
}

/** Returns the ids of records in the order of the response. */
export const fetchIds = (document: OpenDocument, query: RecordQuery): number[] =>
  fetchRecords(document, query).map(({ id }) => id);

/** Returns columns as a caller receives them. */
export function fetchData(document: OpenDocument, query: RecordQuery): Record<string, CellValue[]> {
  const answer = readVerbs["data.fetch"].run(document, grantOf("sample"), { typed: false, ...query });
  return JSON.parse(textOf(document, answer)) as Record<string, CellValue[]>;
}

/** Like `fetchIds`, with the query as the body of records/list. */
export function listIds(document: OpenDocument, table: string, body: unknown): number[] {
  const bytes = body === undefined ? null : new TextEncoder().encode(JSON.stringify(body));
  const answer = readVerbs["records.list"].run(document, grantOf("sample"), { table, body: bytes });
  return (JSON.parse(textOf(document, answer)) as { records: SampleRecord[] }).records.map(({ id }) => id);
}
