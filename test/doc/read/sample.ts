import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anonymous, type DocumentGrant, NO_REQUEST_INFO } from "../../../src/authorization.ts";
import { createDocumentFile } from "../../../src/doc/create-document.ts";
import { OpenDocument, type OpenDocumentOptions } from "../../../src/doc/document.ts";
import type { Rendered } from "../../../src/hosts/documents.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { addSampleTable, type SampleTable } from "./sample-table.ts";

export { addSampleTable, type SampleTable };

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
  document.onChanged({ schema: true });
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
